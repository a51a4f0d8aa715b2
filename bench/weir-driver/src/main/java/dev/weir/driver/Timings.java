package dev.weir.driver;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Histograms of the delays of records from their planned times, in nanoseconds, for each partition and interval. One
 * thread at a time records a partition's delays, and another thread takes the histograms. Recording allocates nothing.
 */
final class Timings {
    // Three significant digits from a microsecond to an hour. Longer values count as an hour.
    private static final long MIN_NANOS = TimeUnit.MICROSECONDS.toNanos(1);
    private static final long MAX_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int DIGITS = 3;

    private final SingleWriterRecorder[] recorders;
    private final Histogram[] taken; // the last histograms, reused; confined to the thread that calls take
    private final ByteBuffer buffer;

    Timings(int partitions) {
        recorders = new SingleWriterRecorder[partitions];
        Arrays.setAll(recorders, partition -> new SingleWriterRecorder(MIN_NANOS, MAX_NANOS, DIGITS));
        taken = new Histogram[partitions];
        Arrays.setAll(taken, partition -> recorders[partition].getIntervalHistogram());
        buffer = ByteBuffer.allocate(taken[0].getNeededByteBufferCapacity());
    }

    void record(int partition, long nanos) {
        recorders[partition].recordValue(Math.clamp(nanos, 0, MAX_NANOS));
    }

    /**
     * Takes the delays since the last call, by partition, each a compressed HdrHistogram in Base64. Empty for a
     * partition without records.
     */
    List<String> take() {
        String[] texts = new String[taken.length];
        for (int partition = 0; partition < texts.length; partition++) {
            taken[partition] = recorders[partition].getIntervalHistogram(taken[partition]);
            texts[partition] = encoded(taken[partition]);
        }
        return List.of(texts);
    }

    private String encoded(Histogram histogram) {
        if (histogram.getTotalCount() == 0) {
            return "";
        }
        buffer.clear();
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }
}
