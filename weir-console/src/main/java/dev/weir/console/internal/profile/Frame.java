package dev.weir.console.internal.profile;

/**
 * A method on a stack. Immutable.
 *
 * @param type full name of the method's class; a number is appended if the class was generated at run time
 */
record Frame(String type, String method, FrameKind kind) {

    private static final String LAMBDA = "$$Lambda";

    static Frame of(String type, String method) {
        return new Frame(type, method, FrameKind.of(type));
    }

    /** Returns whether the frame only leads from the caller of a lambda to its code. */
    boolean isBridge() {
        return type.contains(LAMBDA);
    }

    /** Returns a readable name, without the number of a generated class. */
    String name() {
        int hidden = type.indexOf(".0x");
        int lambda = type.indexOf(LAMBDA);
        String shown =
                lambda >= 0 ? type.substring(0, lambda) + " (lambda)" : hidden >= 0 ? type.substring(0, hidden) : type;
        return shown + "." + method;
    }
}
