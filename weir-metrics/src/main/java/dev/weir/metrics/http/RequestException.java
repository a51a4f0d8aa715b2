package dev.weir.metrics.http;

import java.io.IOException;

/** Thrown if a request is rejected before its target is examined, for example because it is malformed or too large. */
final class RequestException extends IOException {

    private static final long serialVersionUID = 1;

    private final int status;

    RequestException(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
