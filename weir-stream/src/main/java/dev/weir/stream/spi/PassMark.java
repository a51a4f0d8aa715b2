package dev.weir.stream.spi;

/**
 * The stage that has the element now, of several that take each element together. One thread writes it for each
 * element, which costs a plain store; others read it as an estimate.
 */
public final class PassMark {

    int at;

    /** Creates one on which nobody has an element. */
    public PassMark() {
        // Nothing is at place 0.
    }

    /** The stage at {@code place} takes the element. */
    public void at(int place) {
        at = place;
    }
}
