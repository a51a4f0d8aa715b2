package dev.weir.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The shape of a planned rate over time, as a factor: steps and ramps, optionally repeated. Immutable, thread-safe.
 *
 * <pre>
 * 0s:1 30s:3 60s:1          three times the rate from 30 s, and the plain rate from 60 s
 * 0s:1 60s~5                a linear rise from the rate to five times the rate at 60 s, then constant
 * 0s:0.5 9s:5 every:10s     a burst of one second in every ten
 * </pre>
 *
 * <p>A {@link #recorded} load is also a shape. Its text has a different format, which only programs write.
 */
public final class LoadShape {

    /** The constant rate. */
    public static final LoadShape CONSTANT = new LoadShape(List.of(), 1, Double.POSITIVE_INFINITY);

    /** Regular expression for the text of a shape. It does not check that the times ascend. */
    public static final String PATTERN =
            "^(0s:\\d+([.]\\d+)?( \\d+([.]\\d+)?s[:~]\\d+([.]\\d+)?)*( every:\\d+([.]\\d+)?s)?)?$";

    private static final Pattern ENTRY = Pattern.compile("(\\d{1,6}(?:\\.\\d{1,6})?)s([:~])(\\d{1,6}(?:\\.\\d{1,6})?)");
    private static final Pattern EVERY = Pattern.compile("every:(\\d{1,6}(?:\\.\\d{1,6})?)s");

    private static final String RECORDED = "recorded ";

    private final List<Piece> pieces; // up to the last entry
    private final double[] before; // area under the shape before each piece, followed by the total
    private final double last; // factor after the last piece
    private final double period; // infinite if the shape does not repeat

    /** A linear segment. */
    private record Piece(double from, double to, double first, double last) {
        double area(double upTo) {
            double length = Math.min(upTo, to) - from;
            return length <= 0 ? 0 : length * (first + 0.5 * (last - first) * length / (to - from));
        }

        /** Returns the time since the segment's start at which the area under the segment reaches this value. */
        double when(double area) {
            double slope = (last - first) / (to - from);
            return 2 * area / (first + Math.sqrt(Math.max(0, first * first + 2 * slope * area)));
        }
    }

    private LoadShape(List<Piece> pieces, double last, double period) {
        this.pieces = List.copyOf(pieces);
        this.before = new double[pieces.size() + 1];
        for (int i = 0; i < pieces.size(); i++) {
            Piece piece = pieces.get(i);
            before[i + 1] = before[i] + piece.area(piece.to);
        }
        this.last = last;
        this.period = period;
    }

    /**
     * Parses a shape; an empty text is {@link #CONSTANT}.
     *
     * @throws IllegalArgumentException with the reason, if the text is invalid
     */
    public static LoadShape parse(String text) {
        if (text.isBlank()) {
            return CONSTANT;
        }
        if (text.startsWith(RECORDED)) {
            return ofRecorded(text.substring(RECORDED.length()).split(" ", -1));
        }
        List<Piece> pieces = new ArrayList<>();
        double period = Double.POSITIVE_INFINITY;
        double from = -1;
        double factor = 0;
        for (String word : text.strip().split("\\s+", -1)) {
            Matcher every = EVERY.matcher(word);
            Matcher entry = ENTRY.matcher(word);
            if (every.matches() && Double.isInfinite(period)) {
                period = Double.parseDouble(every.group(1));
                continue;
            }
            if (!entry.matches() || !Double.isInfinite(period)) {
                throw new IllegalArgumentException(
                        "must be entries such as 0s:1 30s:3 60s~1, and every:90s after them: " + word);
            }
            double at = Double.parseDouble(entry.group(1));
            double next = Double.parseDouble(entry.group(3));
            boolean isRamp = entry.group(2).equals("~");
            if (from < 0 ? at != 0 || isRamp : at <= from) {
                throw new IllegalArgumentException(
                        "must begin with a step at 0s and continue in the order of time: " + word);
            }
            if (from >= 0) {
                pieces.add(new Piece(from, at, factor, isRamp ? next : factor));
            }
            from = at;
            factor = next;
        }
        if (period <= from) {
            throw new IllegalArgumentException("must repeat after its last entry: every:" + period + "s");
        }
        if (!Double.isInfinite(period)) {
            pieces.add(new Piece(from, period, factor, factor));
        }
        LoadShape shape = new LoadShape(pieces, factor, period);
        if (Double.isInfinite(period) ? factor == 0 : shape.upTo(period) == 0) {
            // After a final factor of 0, the last records are never due.
            throw new IllegalArgumentException("must have some rate in the end: " + text);
        }
        return shape;
    }

    /**
     * Returns the text form of a recorded load, which repeats. The load is given by the cumulative amounts at a series
     * of times. The factor is constant between consecutive times.
     *
     * @param seconds the times, ascending from 0; the last one is the period
     * @param area the cumulative amounts at these times, from 0, not decreasing
     */
    public static String recorded(double[] seconds, double[] area) {
        StringBuilder text = new StringBuilder(RECORDED);
        for (int i = 0; i < seconds.length; i++) {
            text.append(i == 0 ? "" : " ").append(seconds[i]).append('/').append(area[i]);
        }
        return text.toString();
    }

    private static LoadShape ofRecorded(String[] words) {
        List<Piece> pieces = new ArrayList<>();
        double from = 0;
        double begun = 0;
        for (String word : words) {
            int slash = word.indexOf('/');
            double to = Double.parseDouble(word.substring(0, slash));
            double area = Double.parseDouble(word.substring(slash + 1));
            if (to > from) {
                double factor = (area - begun) / (to - from);
                pieces.add(new Piece(from, to, factor, factor));
            }
            from = to;
            begun = area;
        }
        if (!(begun > 0)) {
            throw new IllegalArgumentException("a recorded load must have some");
        }
        return new LoadShape(pieces, 0, from);
    }

    /**
     * Returns the area under the shape from its start up to a time in seconds. The area is the time multiplied by the
     * mean factor.
     */
    public double area(double seconds) {
        if (Double.isInfinite(period)) {
            return upTo(seconds);
        }
        double rounds = Math.floor(seconds / period);
        return rounds * upTo(period) + upTo(seconds - rounds * period);
    }

    private double upTo(double seconds) {
        int piece = pieceAt(seconds);
        if (piece < pieces.size()) {
            return before[piece] + pieces.get(piece).area(seconds);
        }
        double end = pieces.isEmpty() ? 0 : pieces.getLast().to;
        return before[piece] + (Double.isInfinite(period) ? (seconds - end) * last : 0);
    }

    /**
     * Returns the index of the segment that contains the time; the number of segments if the time is after all of them.
     */
    private int pieceAt(double seconds) {
        int low = 0;
        int high = pieces.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (pieces.get(middle).to > seconds) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /**
     * Returns the index of the segment in which the total area reaches the given area; the number of segments if none
     * does.
     */
    private int pieceWith(double area) {
        int low = 0;
        int high = pieces.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (before[middle + 1] >= area && before[middle + 1] > 0) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Returns the first time, in seconds, at which the area reaches this value. */
    public double when(double area) {
        double left = Math.max(0, area);
        double begun = 0;
        double whole = before[pieces.size()];
        if (!Double.isInfinite(period)) {
            double rounds = Math.max(0, Math.ceil(left / whole) - 1);
            left = Math.min(whole, left - rounds * whole); // rounding errors could exceed the total
            begun = rounds * period;
        }
        int index = pieceWith(left);
        if (index < pieces.size()) {
            Piece piece = pieces.get(index);
            double ofPiece = left - before[index];
            return begun + piece.from + (ofPiece <= 0 ? 0 : piece.when(ofPiece));
        }
        return begun + (pieces.isEmpty() ? 0 : pieces.getLast().to) + (left - whole) / last;
    }
}
