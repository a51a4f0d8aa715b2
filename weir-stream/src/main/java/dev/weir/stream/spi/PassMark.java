package dev.weir.stream.spi;

/**
 * Marks which of several stages that process each element together has it now. One thread writes it for each element
 * with a plain store; others read it as an estimate.
 */
public final class PassMark {

    int at;

    /** Creates a mark at no stage. */
    public PassMark() {
        // Place 0 stands for no stage.
    }

    /** Marks that the stage at {@code place} has the element. */
    public void at(int place) {
        at = place;
    }
}
