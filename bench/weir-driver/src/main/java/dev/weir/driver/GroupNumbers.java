package dev.weir.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Tracks the records received by a group's members, in a file that their processes map into memory. Entries of a killed
 * process survive, and each member sees all entries immediately. Thread-safe, also across processes on one machine.
 */
public final class GroupNumbers {
    // The file has one block per partition, and all blocks have the same size. To add a record, a process first sets
    // its bit and then increments a count. The bits are exact, but the counts are approximate, because a process may
    // be killed between these two steps.
    //
    //   0                8                16
    //   +----------------+----------------+----------------------------------+
    //   | came, a long   | again, a long  | a bit for each number, in longs  |
    //   +----------------+----------------+----------------------------------+

    private static final int CAME = 0;
    private static final int AGAIN = Long.BYTES;
    private static final int HEADER_BYTES = 2 * Long.BYTES;
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final long records; // per partition
    private final ByteBuffer[] blocks;

    GroupNumbers(long records, ByteBuffer[] blocks) {
        this.records = records;
        this.blocks = blocks.clone();
    }

    static int blockBytes(long records) {
        return Math.toIntExact(HEADER_BYTES + Math.ceilDiv(records, Long.SIZE) * Long.BYTES);
    }

    /**
     * Maps a file, which is created if it is missing. Holes in the file use no disk space.
     *
     * @param records number of records of each partition, numbered from 0; the same in all processes
     * @throws UncheckedIOException if the file cannot be mapped
     */
    public static GroupNumbers in(Path file, int partitions, long records) {
        int bytes = blockBytes(records);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer[] blocks = new ByteBuffer[partitions];
            for (int partition = 0; partition < partitions; partition++) {
                blocks[partition] = channel.map(FileChannel.MapMode.READ_WRITE, (long) partition * bytes, bytes);
            }
            return new GroupNumbers(records, blocks);
        } catch (IOException e) {
            throw new UncheckedIOException("the numbers of a group cannot be kept in " + file + ": " + e, e);
        }
    }

    /** Adds a received record. Returns false if it was received before. A number out of bounds is not added. */
    public boolean came(int partition, long number) {
        if (number < 0 || number >= records) {
            return true;
        }
        ByteBuffer block = blocks[partition];
        long bit = 1L << number; // a shift uses only the lowest six bits
        int at = HEADER_BYTES + (int) (number / Long.SIZE) * Long.BYTES;
        boolean isFirst = ((long) LONGS.getAndBitwiseOr(block, at, bit) & bit) == 0;
        int count = isFirst ? CAME : AGAIN;
        var unused = (long) LONGS.getAndAdd(block, count, 1L);
        return isFirst;
    }

    /** The number of distinct records received. */
    public long came() {
        return sum(CAME);
    }

    /** The number of repeated records. */
    public long again() {
        return sum(AGAIN);
    }

    long again(int partition) {
        return (long) LONGS.getVolatile(blocks[partition], AGAIN);
    }

    private long sum(int count) {
        return Arrays.stream(blocks)
                .mapToLong(block -> (long) LONGS.getVolatile(block, count))
                .sum();
    }

    NumberRuns of(int partition) {
        NumberRuns.Builder numbers = new NumberRuns.Builder();
        BitSet came = words(partition, records);
        for (int from = came.nextSetBit(0); from >= 0; ) {
            int to = came.nextClearBit(from);
            numbers.add(from, to);
            from = came.nextSetBit(to);
        }
        return numbers.build();
    }

    /**
     * Returns the received numbers below {@code end}. Bits are read in words, so the result may include a few larger
     * numbers.
     */
    private BitSet words(int partition, long end) {
        long[] words = new long[Math.toIntExact(Math.ceilDiv(end, Long.SIZE))];
        for (int i = 0; i < words.length; i++) {
            words[i] = (long) LONGS.getVolatile(blocks[partition], HEADER_BYTES + i * Long.BYTES);
        }
        return BitSet.valueOf(words);
    }

    /** The missing numbers below {@code end}; the caller owns the result. */
    public BitSet missing(int partition, long end) {
        BitSet missing = words(partition, Math.min(end, records));
        missing.flip(0, Math.toIntExact(end));
        missing.clear(Math.toIntExact(end), Math.max(Math.toIntExact(end), missing.length()));
        return missing;
    }

    /**
     * Returns the delivery counts of all members, including killed ones.
     *
     * @param told the reports of members that were not killed
     * @param ends number of records per partition
     */
    public LedgerFigures figures(LedgerFigures told, long[] ends) {
        List<LedgerFigures> topics = told.topics();
        int each = blocks.length / Math.max(1, topics.size());
        return figures(told, ends, 0, blocks.length)
                .with(IntStream.range(0, topics.size())
                        .mapToObj(topic -> figures(topics.get(topic), ends, topic * each, (topic + 1) * each))
                        .toList());
    }

    private LedgerFigures figures(LedgerFigures told, long[] ends, int from, int to) {
        long written = 0;
        long missing = 0;
        long repeated = 0;
        for (int partition = from; partition < to; partition++) {
            written += ends[partition];
            missing += missing(partition, ends[partition]).cardinality();
            repeated += again(partition);
        }
        return new LedgerFigures(
                written - missing,
                missing,
                told.duplicates(),
                told.reordered(),
                told.foreign(),
                told.retried(),
                Math.max(told.redelivered(), repeated - told.duplicates()));
    }
}
