package dev.weir.bench.figures;

import dev.weir.bench.RunFailure;
import dev.weir.driver.Report;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Reads from an interval of a process how late records were. Stateless; the histograms are the caller's. */
public final class ToldTimings {
    private ToldTimings() {}

    /**
     * One histogram in nanoseconds for each partition, and behind them one of what the sender overslept; none where
     * nothing is planned.
     *
     * @throws RunFailure if one of them is none
     */
    public static List<Histogram> of(Report.Interval interval) {
        List<Histogram> histograms = new ArrayList<>();
        interval.timings().forEach(text -> histograms.add(decoded(text)));
        return histograms;
    }

    /**
     * A histogram as processes tell it; an empty one for an empty text.
     *
     * @throws RunFailure if it is none
     */
    static Histogram decoded(String text) {
        if (text.isEmpty()) {
            return new Histogram(3);
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
            return Histogram.decodeFromCompressedByteBuffer(bytes, 0);
        } catch (DataFormatException | IllegalArgumentException | BufferUnderflowException e) {
            throw new RunFailure("it said what is no histogram: " + e.getMessage());
        }
    }

    public static Histogram sum(List<Histogram> some) {
        Histogram sum = new Histogram(3);
        some.forEach(sum::add);
        return sum;
    }
}
