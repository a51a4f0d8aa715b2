package dev.weir.driver;

import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * What the numbers in the values say of a pass. Immutable.
 *
 * @param distinct records that came at least once
 * @param missing records that should have come and did not: of all that were ordered if the pass is complete, else holes
 *     before the last one that came
 * @param duplicates deliveries of what had come already
 * @param reordered deliveries after a later one of the same partition
 * @param foreign deliveries that nobody wrote
 */
public record LedgerFigures(long distinct, long missing, long duplicates, long reordered, long foreign) {

    /** Neither more nor less than was ordered. */
    @JsonIgnore
    public boolean isExactlyOnce() {
        return missing == 0 && duplicates == 0 && foreign == 0;
    }

    /** Of both together. */
    public LedgerFigures plus(LedgerFigures other) {
        return new LedgerFigures(
                distinct + other.distinct,
                missing + other.missing,
                duplicates + other.duplicates,
                reordered + other.reordered,
                foreign + other.foreign);
    }
}
