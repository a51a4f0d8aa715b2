package dev.weir.console.internal.control;

/** Thrown if a change cannot be applied. The message explains it to the user. */
final class Refused extends Exception {

    private static final long serialVersionUID = 1L;

    Refused(String reason) {
        super(reason, null, false, false);
    }
}
