// Times
