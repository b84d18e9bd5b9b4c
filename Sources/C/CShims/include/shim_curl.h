#ifndef NIGHTJAR_SHIM_CURL_H
#define NIGHTJAR_SHIM_CURL_H

#include <curl/curl.h>

CURLcode nj_curl_global_init(void);

CURLcode nj_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode nj_curl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode nj_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *list);
CURLcode nj_curl_set_error_buffer(CURL *easy, char *buffer);

CURLcode nj_curl_on_head(CURL *easy, curl_write_callback function, void *context);
CURLcode nj_curl_on_body(CURL *easy, curl_write_callback function, void *context);
CURLcode nj_curl_on_socket(CURL *easy, curl_opensocket_callback function, void *context);
CURLcode nj_curl_on_request(CURL *easy, curl_prereq_callback function, void *context);

CURLcode nj_curl_set_offset(CURL *easy, CURLoption option, long long value);
CURLcode nj_curl_on_read(CURL *easy, curl_read_callback function, curl_seek_callback seek, void *context);
CURLcode nj_curl_on_progress(CURL *easy, curl_xferinfo_callback function, void *context);
CURLcode nj_curl_on_host_key(CURL *easy, curl_sshkeycallback function);
CURLcode nj_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);

CURLcode nj_curl_get_long(CURL *easy, CURLINFO info, long *value);

CURLMcode nj_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);

#endif
