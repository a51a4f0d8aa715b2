package dev.weir.metrics.http;

import java.io.IOException;

/** A request that is refused before anybody looks at what it asks for. */
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
