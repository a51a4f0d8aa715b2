package dev.weir.bench.result;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

/** The tags of a run's histograms, and the format in which histograms are stored. Stateless, thread-safe. */
public final class LatencyTags {

    /** Latency from the planned send time to the end of the handler, which is how long a user of the system waits. */
    public static final String RESPONSE = "response";

    /** Latency from the actual send time to the end of the handler. It leaves out delays in sending. */
    public static final String SERVICE = "service";

    /** Delay from the planned to the actual send time. It shows whether the generator kept up. */
    public static final String LATENESS = "lateness";

    private static final String WARM_UP = "warm-up/";
    private static final String CONSUMER = "consumer/";
    private static final String PHASE = "phase/";

    private LatencyTags() {}

    /** Returns the tag for histograms recorded during the warm-up, which are stored but never reported. */
    public static String ofWarmUp(String tag) {
        return WARM_UP + tag;
    }

    /** Returns whether the tag belongs to a warm-up. */
    public static boolean isOfWarmUp(String tag) {
        return tag.startsWith(WARM_UP);
    }

    /** Returns the tag for the response times of one partition. */
    public static String responseOfPartition(int partition) {
        return RESPONSE + "/" + partition;
    }

    /** Returns the tag for the response times of one process of a group. */
    public static String responseOfConsumer(int consumer) {
        return CONSUMER + consumer;
    }

    /** Returns whether the tag belongs to one process of a group. */
    public static boolean isOfConsumer(String tag) {
        return tag.startsWith(CONSUMER);
    }

    /** Returns whether the tag belongs to one partition. */
    public static boolean isOfPartition(String tag) {
        return tag.startsWith(RESPONSE + "/");
    }

    /** Returns the tag for one phase of a run that was changed while it was measured. Phases are numbered from 1. */
    public static String ofPhase(int number, String tag) {
        return PHASE + number + "/" + tag;
    }

    /** Returns the histograms of the whole run, without the histograms of its phases. */
    static List<Histogram> ofRun(List<Histogram> all) {
        return all.stream()
                .filter(each -> each.getTag() == null || !each.getTag().startsWith(PHASE))
                .toList();
    }

    /** Returns the histograms of one phase, without the phase prefix of their tags. */
    static List<Histogram> ofPhase(int number, List<Histogram> all) {
        String prefix = ofPhase(number, "");
        List<Histogram> ofIt = new ArrayList<>();
        for (Histogram each : all) {
            if (each.getTag() != null && each.getTag().startsWith(prefix)) {
                each.setTag(each.getTag().substring(prefix.length()));
                ofIt.add(each);
            }
        }
        return ofIt;
    }

    /** Merges all histograms that have the same tag. The counts are added, because percentiles must not be averaged. */
    public static Map<String, Histogram> merge(List<Histogram> intervals) {
        Map<String, Histogram> merged = new TreeMap<>();
        for (Histogram interval : intervals) {
            String tag = interval.getTag() == null ? RESPONSE : interval.getTag();
            merged.computeIfAbsent(tag, t -> {
                        Histogram sum = new Histogram(interval.getNumberOfSignificantValueDigits());
                        sum.setTag(t);
                        return sum;
                    })
                    .add(interval);
        }
        return merged;
    }

    static byte[] encode(List<Histogram> intervals) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
            HistogramLogWriter log = new HistogramLogWriter(out);
            log.outputLogFormatVersion();
            log.outputComment("[nanoseconds; the column of maxima is in milliseconds]");
            log.outputLegend();
            for (Histogram interval : intervals) {
                log.outputIntervalHistogram(interval);
            }
        }
        return bytes.toByteArray();
    }

    static List<Histogram> decode(byte[] log) {
        List<Histogram> intervals = new ArrayList<>();
        HistogramLogReader reader = new HistogramLogReader(new ByteArrayInputStream(log));
        while (reader.hasNext()) {
            EncodableHistogram next = reader.nextIntervalHistogram();
            if (next instanceof Histogram histogram) {
                intervals.add(histogram);
            }
        }
        return intervals;
    }
}
