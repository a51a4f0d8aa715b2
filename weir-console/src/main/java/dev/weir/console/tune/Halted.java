package dev.weir.console.tune;

/** The end of a measurement before it is complete; the message says why, for people. */
final class Halted extends Exception {

    private static final long serialVersionUID = 1L;

    private final TuneReport.End end;

    Halted(TuneReport.End end, String reason) {
        super(reason, null, false, false);
        this.end = end;
    }

    /** The way in which tuning ends if this cannot be repaired. */
    TuneReport.End end() {
        return end;
    }

    /** The reason. */
    String reason() {
        return String.valueOf(getMessage());
    }
}
