package dev.weir.console.internal.state;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The metrics of the complete run in at most {@value #MOST} points. If there are more, pairs of points are merged and
 * each point covers twice the time. Guarded by the lock of {@link Looker}.
 */
final class Trend {

    static final int MOST = 720;

    /** Names of the metrics. A point is written as its time and the values in this order. */
    static final List<String> FIGURES =
            List.of("out_per_second", "lag", "cpu_share", "heap_used_bytes", "allocated_per_second", "collection_ms");

    /** The means of several readings. */
    private static final class Point {

        private final long atMillis;
        private final double[] figures;

        Point(long atMillis, double[] figures) {
            this.atMillis = atMillis;
            this.figures = figures;
        }

        Point and(Point later) {
            double[] means = new double[figures.length];
            for (int i = 0; i < means.length; i++) {
                means[i] = (figures[i] + later.figures[i]) / 2;
            }
            return new Point(later.atMillis, means);
        }
    }

    private final List<Point> points = new ArrayList<>();
    private int looksPerPoint = 1;
    private int pending;
    private final double[] sums = new double[FIGURES.size()];

    /**
     * Adds a reading.
     *
     * @param figures the values of {@link #FIGURES}; unknown ones are NaN
     */
    void add(long atMillis, double... figures) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] += figures[i];
        }
        if (++pending < looksPerPoint) {
            return;
        }
        double[] means = new double[sums.length];
        for (int i = 0; i < means.length; i++) {
            means[i] = sums[i] / pending;
            sums[i] = 0;
        }
        pending = 0;
        points.add(new Point(atMillis, means));
        if (points.size() > MOST) {
            halve();
        }
    }

    private void halve() {
        List<Point> halved = new ArrayList<>();
        for (int i = 0; i + 1 < points.size(); i += 2) {
            halved.add(points.get(i).and(points.get(i + 1)));
        }
        boolean isOdd = points.size() % 2 == 1;
        if (isOdd) { // kept as the first half of the next point
            System.arraycopy(points.getLast().figures, 0, sums, 0, sums.length);
            for (int i = 0; i < sums.length; i++) {
                sums[i] *= looksPerPoint;
            }
            pending = looksPerPoint;
        }
        points.clear();
        points.addAll(halved);
        looksPerPoint *= 2;
    }

    int size() {
        return points.size();
    }

    /** Writes all fields into the JSON object that the caller has started. */
    void write(JsonGenerator json) throws IOException {
        json.writeNumberField("seconds_per_point", looksPerPoint);
        json.writeArrayFieldStart("figures");
        for (String figure : FIGURES) {
            json.writeString(figure);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("points");
        for (Point point : points) {
            json.writeStartArray();
            json.writeNumber(point.atMillis);
            for (double each : point.figures) {
                if (Double.isNaN(each)) {
                    json.writeNull();
                } else {
                    json.writeNumber(Math.round(each * 1000) / 1000.0);
                }
            }
            json.writeEndArray();
        }
        json.writeEndArray();
    }
}
