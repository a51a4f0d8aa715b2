package dev.weir.driver;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * The number of records that each poll of this process returned. Libraries' empty polls are invisible to
 * {@link PolledRecords}. Thread-safe; {@link #take} is confined to one thread.
 */
final class PollSizes {
    /** The instance of this process. Kafka creates interceptors by class name, so they need a static one. */
    static final PollSizes OF_PROCESS = new PollSizes();

    private static final int DIGITS = 3;

    private final Recorder recorder = new Recorder(DIGITS);
    private final LongAdder empty = new LongAdder();
    private volatile boolean seesEmpty;
    private Histogram taken = recorder.getIntervalHistogram(); // confined to the thread that calls take

    /** Adds a poll of the driver's own loop. */
    void polled(int records) {
        seesEmpty = true;
        if (records == 0) {
            empty.increment();
        } else {
            recorder.recordValue(records);
        }
    }

    /** Adds a poll with records made by a library. */
    void polledByLibrary(int records) {
        recorder.recordValue(records);
    }

    /** Returns the polls since the last call; null if there were none. */
    Report.@Nullable Polls take() {
        taken = recorder.getIntervalHistogram(taken);
        long empties = empty.sumThenReset();
        if (taken.getTotalCount() == 0 && empties == 0) {
            return null;
        }
        return new Report.Polls(encoded(taken), seesEmpty ? empties : Report.Polls.UNKNOWN);
    }

    private static String encoded(Histogram histogram) {
        if (histogram.getTotalCount() == 0) {
            return "";
        }
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }
}
