package dev.weir.driver;

import java.util.BitSet;
import java.util.stream.LongStream;

/**
 * Tracks which of a partition's records, numbered from 0, were delivered. Confined to one thread at a time.
 *
 * <p>A record that arrives in order costs one comparison. Other records are stored as bits after {@link #low}, the end
 * of the complete prefix. The bits are shifted down as the prefix grows.
 */
final class PartitionLedger {
    private static final int MAX_SPREAD = 100_000_000;

    private final long size;
    private final BitSet ahead = new BitSet();

    private long base; // the record number of bit 0
    private long low;
    private long highest = -1;
    private long duplicates;
    private long reordered;
    private long foreign;

    PartitionLedger(long size) {
        this.size = size;
    }

    /** Adds a delivery. Returns false for a repetition. */
    boolean delivered(long number) {
        if (number == low && number == highest + 1 && number < size) {
            low = number + 1;
            highest = number;
            return true;
        }
        return outOfOrder(number);
    }

    private boolean outOfOrder(long number) {
        if (number < 0 || number >= size || number - low > MAX_SPREAD) {
            foreign++;
            return true;
        }
        if (ahead.isEmpty()) {
            base = low;
        }
        if (number < low || ahead.get((int) (number - base))) {
            duplicates++;
            return false;
        }
        if (number < highest) {
            reordered++;
        }
        highest = Math.max(highest, number);
        ahead.set((int) (number - base));
        int whole = ahead.nextClearBit((int) (low - base));
        low = base + whole;
        if (low > highest) {
            ahead.clear();
        } else if (whole > ahead.size() / 2) {
            shiftDown(whole);
        }
        return true;
    }

    NumberRuns numbers() {
        NumberRuns.Builder numbers = new NumberRuns.Builder().add(0, low);
        if (!ahead.isEmpty()) {
            for (int bit = ahead.nextSetBit((int) (low - base)); bit >= 0; ) {
                int end = ahead.nextClearBit(bit);
                numbers.add(base + bit, base + end);
                bit = ahead.nextSetBit(end);
            }
        }
        return numbers.build();
    }

    private void shiftDown(int bits) {
        BitSet rest = ahead.get(bits, ahead.length());
        ahead.clear();
        ahead.or(rest);
        base += bits;
    }

    /**
     * Returns the counts of delivered and missing records. If {@code complete} is false, records less than
     * {@code behind} below the highest delivered number do not count as missing.
     *
     * @param underWay numbers of other records known to be in flight
     */
    LedgerFigures figures(boolean complete, long behind, LongStream underWay) {
        long distinct = low + (ahead.isEmpty() ? 0 : ahead.cardinality() - (low - base));
        long until = complete ? size : highest + 1 - behind;
        long missing = Math.max(0, until - low);
        if (missing > 0 && !ahead.isEmpty()) {
            missing -= ahead.get((int) (low - base), (int) (until - base)).cardinality();
        }
        missing -= underWay.filter(number -> number >= low && number < until)
                .filter(number -> ahead.isEmpty() || !ahead.get((int) (number - base)))
                .count();
        return new LedgerFigures(distinct, missing, duplicates, reordered, foreign);
    }
}
