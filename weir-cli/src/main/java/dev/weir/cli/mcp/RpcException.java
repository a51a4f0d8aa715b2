package dev.weir.cli.mcp;

/** A request that the protocol refuses: a JSON-RPC error with its code. Immutable. */
final class RpcException extends Exception {

    private static final long serialVersionUID = 1L;

    static final int PARSE_ERROR = -32_700;
    static final int INVALID_REQUEST = -32_600;
    static final int METHOD_NOT_FOUND = -32_601;
    static final int INVALID_PARAMS = -32_602;
    static final int INTERNAL_ERROR = -32_603;

    /** Error code for a busy server, from the range that JSON-RPC leaves to servers. */
    static final int BUSY = -32_000;

    private final int code;

    RpcException(int code, String message) {
        super(message);
        this.code = code;
    }

    static RpcException invalidParams(String message) {
        return new RpcException(INVALID_PARAMS, message);
    }

    int code() {
        return code;
    }
}
