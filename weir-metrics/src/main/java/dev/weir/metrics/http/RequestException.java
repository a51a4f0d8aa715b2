package dev.weir.metrics.http;

import java.io.IOException;

/** Thrown for a request that is malformed or too large. The server rejects it without examining its target. */
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
