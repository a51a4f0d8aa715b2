package dev.weir.console.internal.profile;

/**
 * A method on a stack. Immutable.
 *
 * @param type the full name of its class; of a class that was made at run time with a number behind it
 */
record Frame(String type, String method, FrameKind kind) {

    private static final String LAMBDA = "$$Lambda";

    static Frame of(String type, String method) {
        return new Frame(type, method, FrameKind.of(type));
    }

    /** Returns whether it only leads from the caller of a lambda to its code. */
    boolean isBridge() {
        return type.contains(LAMBDA);
    }

    /** For people: without the number of a class that was made at run time. */
    String name() {
        int hidden = type.indexOf(".0x");
        int lambda = type.indexOf(LAMBDA);
        String shown =
                lambda >= 0 ? type.substring(0, lambda) + " (lambda)" : hidden >= 0 ? type.substring(0, hidden) : type;
        return shown + "." + method;
    }
}
