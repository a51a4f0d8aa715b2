package dev.weir.stream.spi;

/**
 * Records which stage is currently processing an element, if one loop passes each element through several stages. The
 * thread that runs the loop writes the mark for each element with a plain store; other threads read it as an estimate.
 */
public final class PassMark {

    int at;

    /** Creates a mark that names no stage. */
    public PassMark() {
        // `at` starts at 0, which means that no stage is processing the element.
    }

    /** Marks that the stage with number {@code place} is processing the element. */
    public void at(int place) {
        at = place;
    }
}
