package dev.weir.bench.figures;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Combines the figures of several processes for one slice of time. Takes the largest value of maxima, adds the means of
 * rates and in-flight counts, and averages all other means. Confined to one thread.
 */
public final class SeriesBook {
    /** The process number under which the figures of the brokers and the machine are added. */
    static final int AROUND = -1;

    private final Map<String, Map<Integer, double[]>> told = new TreeMap<>(); // by name and process: sum, count, max

    public void add(int process, Map<String, Double> figures) {
        figures.forEach((name, value) -> {
            double[] sum =
                    told.computeIfAbsent(name, n -> new HashMap<>()).computeIfAbsent(process, p -> new double[3]);
            sum[2] = sum[1] == 0 ? value : Math.max(sum[2], value);
            sum[0] += value;
            sum[1]++;
        });
    }

    /** Returns the combined figures by name. */
    public Map<String, Double> figures() {
        Map<String, Double> figures = new TreeMap<>();
        told.forEach((name, byProcess) -> {
            double sum = 0;
            double most = Double.NEGATIVE_INFINITY;
            for (double[] ofProcess : byProcess.values()) {
                sum += ofProcess[0] / ofProcess[1];
                most = Math.max(most, ofProcess[2]);
            }
            figures.put(name, isGreatest(name) ? most : addsUp(name) ? sum : sum / byProcess.size());
        });
        return figures;
    }

    private static boolean addsUp(String name) {
        return name.startsWith("client: ") && (name.endsWith("/s") || name.endsWith("under way"));
    }

    /** Returns whether the figure is a maximum. */
    public static boolean isGreatest(String name) {
        return name.endsWith("longest ms") || name.equals(PolledSizes.MAX);
    }

    /** Returns the mean of each figure over the slices of time that have it. */
    public static Map<String, Double> means(Iterable<Map<String, Double>> slices) {
        SeriesBook book = new SeriesBook();
        slices.forEach(slice -> book.add(AROUND, slice));
        return book.figures();
    }
}
