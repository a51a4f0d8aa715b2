package dev.weir.bench.live;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A command to a running benchmark: a change or a fault. Immutable. {@link #fields} returns the text form for workload
 * files, results and command files.
 */
public sealed interface Order
        permits Order.Set,
                Order.RestartConsumers,
                Order.Pause,
                Order.Drain,
                Order.DiscardStats,
                Order.Extend,
                Order.End,
                Fault {

    /** Key of {@link Set}: number of records due per second. */
    String PRODUCER_RATE = "producerRate";

    /** Key of {@link Set}: blocking time of each handler call. */
    String WORK = "work";

    /** Key of {@link Set}: number of consumers in the group. */
    String CONSUMERS = "consumers";

    /** Key prefix of {@link Set} for a property of the members' Kafka clients. */
    String CLIENT = "client.";

    /** Key prefix of {@link Set} for a broker-side group setting. It takes effect without a rejoin. */
    String GROUP = "group.";

    private static String kinds() {
        return Stream.concat(
                        Stream.of("set", "restart-consumers", "pause", "drain", "discard-stats", "extend", "end"),
                        Fault.Kind.labels().stream())
                .collect(Collectors.joining(", "));
    }

    /**
     * Changes values; keys are {@link #PRODUCER_RATE}, {@link #WORK}, {@link #CONSUMERS}, and {@link #CLIENT} or
     * {@link #GROUP} with a property.
     */
    record Set(Map<String, String> values) implements Order {
        private static final double MOST_RATE = 1_000_000;
        private static final double MOST_WORK_MILLIS = 60_000;
        private static final int MOST_CONSUMERS = 1000;

        /**
         * Checks the keys and values. Does not check whether Kafka knows a client property or group setting.
         *
         * @throws IllegalArgumentException if a key is wrong; the message names the key
         */
        public Set {
            values = Map.copyOf(values);
            if (values.isEmpty()) {
                throw new IllegalArgumentException("set needs a key: " + settable());
            }
            new TreeMap<>(values).forEach(Set::check);
        }

        private static void check(String key, String value) {
            switch (key) {
                case PRODUCER_RATE -> {
                    if (!value.matches("\\d{1,7}(\\.\\d{1,9})?") || Double.parseDouble(value) > MOST_RATE) {
                        throw new IllegalArgumentException(key + " must be a number of records a second from 0 to "
                                + (long) MOST_RATE + ": " + key + "=" + value);
                    }
                }
                case WORK -> Spans.millis(key, value, 0, MOST_WORK_MILLIS);
                case CONSUMERS -> {
                    if (!value.matches("\\d{1,4}") || consumers(value) < 1 || consumers(value) > MOST_CONSUMERS) {
                        throw new IllegalArgumentException(
                                key + " must be a whole number from 1 to " + MOST_CONSUMERS + ": " + key + "=" + value);
                    }
                }
                default -> {
                    if (ofPrefix(CLIENT, key) == null && ofPrefix(GROUP, key) == null) {
                        throw new IllegalArgumentException("there is no key " + key + " to set: " + settable());
                    }
                }
            }
        }

        private static int consumers(String value) {
            return Integer.parseInt(value);
        }

        private static String settable() {
            return "there are " + PRODUCER_RATE + ", " + WORK + ", " + CONSUMERS + ", " + CLIENT
                    + "PROPERTY, such as client.max.poll.records=40, and " + GROUP
                    + "PROPERTY, such as group.share.partition.max.record.locks=4000";
        }

        /** Parses a value of {@link #WORK} and returns it in milliseconds. */
        public static double workMillis(String value) {
            return Spans.millis(WORK, value, 0, MOST_WORK_MILLIS);
        }

        /** Returns the properties of Kafka clients among the values, by name. */
        public Map<String, String> client() {
            return ofPrefix(CLIENT);
        }

        /** Returns the group settings among the values, by name. */
        public Map<String, String> group() {
            return ofPrefix(GROUP);
        }

        private Map<String, String> ofPrefix(String prefix) {
            Map<String, String> properties = new TreeMap<>();
            values.forEach((key, value) -> {
                String property = ofPrefix(prefix, key);
                if (property != null) {
                    properties.put(property, value);
                }
            });
            return properties;
        }

        private static @Nullable String ofPrefix(String prefix, String key) {
            return key.startsWith(prefix) && key.length() > prefix.length() ? key.substring(prefix.length()) : null;
        }
    }

    /**
     * Makes this number of consumers leave and rejoin.
     *
     * @param count a number, or a percentage such as {@code 50%}
     */
    record RestartConsumers(String count) implements Order {
        /** Checks the text. */
        public RestartConsumers {
            boolean isNumber = count.matches("\\d{1,4}%?");
            double number = isNumber ? Double.parseDouble(count.replace("%", "")) : 0;
            if (number < 1 || (count.endsWith("%") && number > 100)) {
                throw new IllegalArgumentException(
                        "restart-consumers must be a number of consumers from 1 on, or a share"
                                + " from 1% to 100%: restart-consumers=" + count);
            }
        }

        /** Returns the number of consumers that this command restarts, out of {@code consumers}. */
        public int of(int consumers) {
            return count.endsWith("%")
                    ? Math.ceilDiv(consumers * Integer.parseInt(count.substring(0, count.length() - 1)), 100)
                    : Math.min(consumers, Integer.parseInt(count));
        }
    }

    /** Pauses all members. */
    record Pause(double millis) implements Order {}

    /**
     * Stops sending and removes the handlers' blocking time until all sent records are handled. The run then continues
     * as before.
     */
    record Drain() implements Order {}

    /** Discards the measurements so far. */
    record DiscardStats() implements Order {}

    /** Extends the run. */
    record Extend(double millis) implements Order {}

    /** Ends the run, keeping its results. */
    record End() implements Order {}

    /** Returns a map with a single entry, from the kind of the command to its value. */
    default Map<String, Object> fields() {
        return switch (this) {
            case Set set -> Map.of("set", new TreeMap<>(set.values()));
            case RestartConsumers restart -> Map.of("restart-consumers", restart.count());
            case Pause pause -> Map.of("pause", Spans.exact(pause.millis()));
            case Drain drain -> Map.of("drain", "true");
            case DiscardStats discard -> Map.of("discard-stats", "true");
            case Extend extend -> Map.of("extend", Spans.exact(extend.millis()));
            case End end -> Map.of("end", "true");
            case Fault fault -> fault.fields();
        };
    }

    /**
     * Creates a command from its fields.
     *
     * @param fields a single entry, whose value is a string, a number, a boolean, or a map for {@code set}
     * @throws IllegalArgumentException if a field is wrong; the message names the error and the valid choices
     */
    static Order of(Map<String, ?> fields) {
        if (fields.size() != 1) {
            throw new IllegalArgumentException("one order at a time, of " + kinds()
                    + (fields.isEmpty() ? "" : ": " + String.join(", ", fields.keySet())));
        }
        String kind = fields.keySet().iterator().next();
        Object value = fields.get(kind);
        if (kind.equals("set")) {
            return new Set(texts(value));
        }
        String text = String.valueOf(value);
        return switch (kind) {
            case "restart-consumers" -> new RestartConsumers(text);
            case "pause" -> new Pause(Spans.millis(kind, text, 1, 600e3));
            case "drain" -> flag(kind, text, new Drain());
            case "discard-stats" -> flag(kind, text, new DiscardStats());
            case "end" -> flag(kind, text, new End());
            case "extend" -> new Extend(Spans.millis(kind, text, 1, 24 * 3600e3));
            default -> fault(kind, text);
        };
    }

    private static Fault fault(String kind, String text) {
        for (Fault.Kind known : Fault.Kind.values()) {
            if (known.label().equals(kind)) {
                return Fault.of(known, text);
            }
        }
        throw new IllegalArgumentException("there is no order " + kind + ": there are " + kinds());
    }

    /**
     * Returns whether the group has to recover from the command, because it disrupts the group or causes a rebalance.
     */
    default boolean isDisturbance() {
        return switch (this) {
            case Fault fault -> true;
            case RestartConsumers restart -> true;
            case Pause pause -> true;
            case Set set -> set.values().containsKey(CONSUMERS) || !set.client().isEmpty();
            case Drain drain -> false;
            case DiscardStats discard -> false;
            case Extend extend -> false;
            case End end -> false;
        };
    }

    /** Returns the kind and value as readable text. */
    default String text() {
        Map.Entry<String, Object> only = fields().entrySet().iterator().next();
        return only.getKey() + " "
                + (only.getValue() instanceof Map<?, ?> map
                        ? map.entrySet().stream()
                                .map(one -> one.getKey() + "=" + one.getValue())
                                .collect(Collectors.joining(" "))
                        : only.getValue());
    }

    private static Order flag(String kind, String text, Order order) {
        if (!text.equals("true")) {
            throw new IllegalArgumentException(kind + " must be true, or left out: " + kind + "=" + text);
        }
        return order;
    }

    private static Map<String, String> texts(@Nullable Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new IllegalArgumentException("set must be keys with values, such as {producerRate: 100, work: 5ms}");
        }
        return map.entrySet().stream()
                .collect(Collectors.toMap(
                        each -> String.valueOf(each.getKey()),
                        each -> String.valueOf(each.getValue()),
                        (one, other) -> other,
                        LinkedHashMap::new));
    }
}
