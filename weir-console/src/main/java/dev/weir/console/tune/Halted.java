package dev.weir.console.tune;

/** Thrown to end a measurement early. The message explains it to the user. */
final class Halted extends Exception {

    private static final long serialVersionUID = 1L;

    private final TuneReport.End end;

    Halted(TuneReport.End end, String reason) {
        super(reason, null, false, false);
        this.end = end;
    }

    /** Outcome to report if this ends the tuning. */
    TuneReport.End end() {
        return end;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
