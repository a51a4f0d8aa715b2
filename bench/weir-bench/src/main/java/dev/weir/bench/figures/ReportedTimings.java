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

/** Decodes the latency histograms in a process's interval. Stateless; the caller owns the histograms. */
public final class ReportedTimings {
    private ReportedTimings() {}

    /**
     * Returns one histogram per partition, in nanoseconds, followed by one that shows how long the sender overslept.
     * Returns an empty list if the load is not planned.
     *
     * @throws RunFailure if a histogram is invalid
     */
    public static List<Histogram> of(Report.Interval interval) {
        List<Histogram> histograms = new ArrayList<>();
        interval.timings().forEach(text -> histograms.add(decoded(text)));
        return histograms;
    }

    /**
     * Decodes a reported histogram. Returns an empty histogram if the text is empty.
     *
     * @throws RunFailure if the text is invalid
     */
    static Histogram decoded(String text) {
        if (text.isEmpty()) {
            return new Histogram(3);
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
            return Histogram.decodeFromCompressedByteBuffer(bytes, 0);
        } catch (DataFormatException | IllegalArgumentException | BufferUnderflowException e) {
            throw new RunFailure("it reported an invalid histogram: " + e.getMessage());
        }
    }

    public static Histogram sum(List<Histogram> some) {
        Histogram sum = new Histogram(3);
        some.forEach(sum::add);
        return sum;
    }
}
