package dev.weir.stream.spi;

/**
 * Records which stage is processing an element, if one loop passes each element through several stages. The loop's
 * thread writes it with plain stores; other threads read it as an estimate.
 */
public final class PassMark {

    int at;

    /** Creates a mark that names no stage. */
    public PassMark() {
        // At first, `at` is 0: no stage.
    }

    /** Marks that the stage with number {@code place} is processing the element. */
    public void at(int place) {
        at = place;
    }
}
