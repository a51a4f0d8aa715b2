package dev.weir.console.tune;

/** Thrown to end a measurement early. The message tells the user why. */
final class Halted extends Exception {

    private static final long serialVersionUID = 1L;

    private final TuneReport.End end;

    Halted(TuneReport.End end, String reason) {
        super(reason, null, false, false);
        this.end = end;
    }

    /** The outcome to report if this ends the tuning. */
    TuneReport.End end() {
        return end;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
