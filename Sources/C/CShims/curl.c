#include "shim_curl.h"

// CURL_GLOBAL_DEFAULT is a composite macro that Swift does not import.
CURLcode nj_curl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

CURLcode nj_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

// For options whose string libcurl copies, and only for those.
CURLcode nj_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode nj_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(easy, option, list);
}

CURLcode nj_curl_set_error_buffer(CURL *easy, char *buffer) {
    return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

CURLcode nj_curl_on_head(CURL *easy, curl_write_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

CURLcode nj_curl_on_body(CURL *easy, curl_write_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

CURLcode nj_curl_on_socket(CURL *easy, curl_opensocket_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

CURLcode nj_curl_on_request(CURL *easy, curl_prereq_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

CURLcode nj_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

CURLcode nj_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

CURLMcode nj_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

CURLcode nj_curl_set_offset(CURL *easy, CURLoption option, long long value) {
    return curl_easy_setopt(easy, option, (curl_off_t)value);
}

CURLcode nj_curl_on_read(CURL *easy, curl_read_callback function, curl_seek_callback seek, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_READDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
}

CURLcode nj_curl_on_progress(CURL *easy, curl_xferinfo_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}

CURLcode nj_curl_on_host_key(CURL *easy, curl_sshkeycallback function) {
    return curl_easy_setopt(easy, CURLOPT_SSH_KEYFUNCTION, function);
}
