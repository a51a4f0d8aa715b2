package dev.weir.console.internal.control;

/** A change cannot be made; the message says why, for people. */
final class Refused extends Exception {

    private static final long serialVersionUID = 1L;

    Refused(String reason) {
        super(reason, null, false, false);
    }
}
