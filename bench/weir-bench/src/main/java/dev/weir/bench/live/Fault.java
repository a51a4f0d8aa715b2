package dev.weir.bench.live;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A disturbance of a run: members join, leave, die or freeze, their network or a broker fails, or a backlog arrives.
 * Immutable.
 *
 * @param count number of members, or the ID of a broker; 0 if neither applies
 * @param byMillis delay of each message or disk write; 0 except for {@link Kind#DELAY} and {@link Kind#SLOW_DISK}
 * @param forMillis duration; 0 for an instantaneous fault
 */
public record Fault(Kind kind, int count, double byMillis, double forMillis) implements Order {
    private static final int MOST_COUNT = 1000;
    private static final double MOST_MILLIS = 600e3;
    private static final double MOST_DELAY_MILLIS = 60e3;
    private static final Pattern COUNTED = Pattern.compile("(\\d{1,4}) for (\\S+)");
    private static final Pattern DELAYED = Pattern.compile("(\\d{1,4}) by (\\S+) for (\\S+)");
    private static final Pattern TIMED = Pattern.compile("(\\S+) for (\\S+)");

    /** The syntax of a fault's value. */
    private enum Form {
        FLAG("true"),
        COUNT("a number, such as 1"),
        COUNT_FOR("a number and a time, such as 1 for 10s"),
        COUNT_BY_FOR("a number and two times, such as 1 by 50ms for 10s"),
        TIME("a time, such as 10s"),
        TIME_FOR("two times, such as 200ms for 10s");

        private final String about;

        Form(String about) {
            this.about = about;
        }
    }

    /** The kind of a fault. */
    public enum Kind {
        /** Processes join the group. */
        JOIN(Form.COUNT, "Number of processes that join the group."),
        /** The most recently added processes of the group commit and leave. */
        LEAVE(Form.COUNT, "Number of processes that commit and leave the group."),
        /** A process joins and leaves again. */
        REBALANCE(Form.FLAG, "true: another process joins and leaves again."),
        /** The most recently added processes of the group are killed by SIGKILL and not replaced. */
        KILL(Form.COUNT, "Number of processes that are killed by SIGKILL and not replaced."),
        /** The first processes of the group are frozen by SIGSTOP. */
        FREEZE(Form.COUNT_FOR, "Number of processes that are stopped by SIGSTOP, and for how long."),
        /** All connections of the group's first processes are reset, including newly opened connections. */
        CUT(Form.COUNT_FOR, "Number of processes whose connections are reset, new ones too, and for how long."),
        /** The connections of the group's first processes stay open but carry no data. */
        SILENCE(Form.COUNT_FOR, "Number of processes whose open connections carry nothing, and for how long."),
        /** Messages between members and brokers are delayed. */
        DELAY(Form.TIME_FOR, "Delay of each message between members and brokers, and for how long."),
        /** The broker with that ID is killed by SIGKILL and restarted. */
        LOSE_BROKER(Form.COUNT_FOR, "Id of a broker that is killed by SIGKILL, and the time until its restart."),
        /** The disk of the broker with that ID is full. If the broker stops as a result, it is restarted. */
        FILL_DISK(Form.COUNT_FOR, "Id of a broker whose disk is full, and for how long; it is restarted if it ends."),
        /** Each write and flush of the broker with that ID takes longer. */
        SLOW_DISK(Form.COUNT_BY_FOR, "Id of a broker, the delay of each of its disk writes, and for how long."),
        /**
         * All records due in the given period become due within one second, in addition to the records normally due in
         * that second.
         */
        BACKLOG(Form.TIME, "Time whose records are all due within one second, in addition to that second's own.");

        private final Form form;
        private final String about;

        Kind(Form form, String about) {
            this.form = form;
            this.about = about;
        }

        /** Returns the name in workload files and results, such as {@code lose-broker}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        static List<String> labels() {
            return Arrays.stream(values()).map(Kind::label).toList();
        }

        /** Returns a readable description in one sentence. */
        public String about() {
            return about;
        }

        /** Returns whether the fault's value consists of a single number or {@code true}. */
        public boolean isPlain() {
            return form == Form.COUNT || form == Form.FLAG;
        }

        /** Returns whether the {@code count} of the fault is the ID of a broker. */
        public boolean isOfBroker() {
            return this == LOSE_BROKER || needsDisk();
        }

        /** Returns whether the fault needs brokers with disks that can fail. */
        public boolean needsDisk() {
            return this == FILL_DISK || this == SLOW_DISK;
        }

        /** Returns whether the fault needs a proxy between members and brokers. */
        public boolean needsProxy() {
            return this == CUT || this == SILENCE || this == DELAY;
        }
    }

    /**
     * Parses the value of a fault of this kind.
     *
     * @throws IllegalArgumentException if the value is invalid; the message names the kind and the syntax of its value
     */
    static Fault of(Kind kind, String text) {
        String name = kind.label();
        Matcher counted = COUNTED.matcher(text);
        Matcher delayed = DELAYED.matcher(text);
        Matcher timed = TIMED.matcher(text);
        return switch (kind.form) {
            case FLAG -> {
                require(kind, text, text.equals("true"));
                yield new Fault(kind, 0, 0, 0);
            }
            case COUNT -> {
                require(kind, text, text.matches("\\d{1,4}"));
                yield new Fault(kind, count(name, text), 0, 0);
            }
            case COUNT_FOR -> {
                require(kind, text, counted.matches());
                yield new Fault(kind, count(name, counted.group(1)), 0, lasting(name, counted.group(2)));
            }
            case COUNT_BY_FOR -> {
                require(kind, text, delayed.matches());
                double by = Spans.millis(name, delayed.group(2), 1, MOST_DELAY_MILLIS);
                yield new Fault(kind, count(name, delayed.group(1)), by, lasting(name, delayed.group(3)));
            }
            case TIME -> new Fault(kind, 0, 0, lasting(name, text));
            case TIME_FOR -> {
                require(kind, text, timed.matches());
                double by = Spans.millis(name, timed.group(1), 1, MOST_DELAY_MILLIS);
                yield new Fault(kind, 0, by, lasting(name, timed.group(2)));
            }
        };
    }

    private static void require(Kind kind, String text, boolean isSo) {
        if (!isSo) {
            throw new IllegalArgumentException(
                    kind.label() + " must be " + kind.form.about + ": " + kind.label() + "=" + text);
        }
    }

    private static int count(String name, String text) {
        int count = Integer.parseInt(text);
        if (count < 1 || count > MOST_COUNT) {
            throw new IllegalArgumentException(name + " must be from 1 to " + MOST_COUNT + ": " + name + "=" + text);
        }
        return count;
    }

    private static double lasting(String name, String text) {
        return Spans.millis(name, text, 1, MOST_MILLIS);
    }

    @Override
    public Map<String, Object> fields() {
        String lasting = Spans.exact(forMillis);
        return Map.of(
                kind.label(),
                switch (kind.form) {
                    case FLAG -> "true";
                    case COUNT -> Integer.toString(count);
                    case COUNT_FOR -> count + " for " + lasting;
                    case COUNT_BY_FOR -> count + " by " + Spans.exact(byMillis) + " for " + lasting;
                    case TIME -> lasting;
                    case TIME_FOR -> Spans.exact(byMillis) + " for " + lasting;
                });
    }
}
