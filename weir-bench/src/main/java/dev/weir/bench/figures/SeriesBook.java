package dev.weir.bench.figures;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Figures that several processes told of one slice of time: each its own mean, then the sum of rates and of what is
 * under way, and the mean of all others. Confined to one thread.
 */
public final class SeriesBook {
    /** Of what tells by itself: brokers and the machine. */
    static final int AROUND = -1;

    private final Map<String, Map<Integer, double[]>> told = new TreeMap<>(); // by name and process: sum, count

    public void add(int process, Map<String, Double> figures) {
        figures.forEach((name, value) -> {
            double[] sum =
                    told.computeIfAbsent(name, n -> new HashMap<>()).computeIfAbsent(process, p -> new double[2]);
            sum[0] += value;
            sum[1]++;
        });
    }

    /** By name. */
    public Map<String, Double> figures() {
        Map<String, Double> figures = new TreeMap<>();
        told.forEach((name, byProcess) -> {
            double sum = 0;
            for (double[] ofProcess : byProcess.values()) {
                sum += ofProcess[0] / ofProcess[1];
            }
            figures.put(name, addsUp(name) ? sum : sum / byProcess.size());
        });
        return figures;
    }

    private static boolean addsUp(String name) {
        return name.startsWith("client: ") && (name.endsWith("/s") || name.endsWith("under way"));
    }

    /** The mean of each figure over some slices, of those that have it. */
    public static Map<String, Double> means(Iterable<Map<String, Double>> slices) {
        SeriesBook book = new SeriesBook();
        slices.forEach(slice -> book.add(AROUND, slice));
        return book.figures();
    }
}
