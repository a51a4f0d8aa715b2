package dev.weir.kafka;

import dev.weir.kafka.SettingsText.Entry;
import java.lang.reflect.RecordComponent;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Reads the consumer settings that can be written as text. Stateless. */
final class ConsumerSettingsReader {

    /** The values of {@code weir.preset}. */
    private enum Preset {
        THROUGHPUT,
        LATENCY,
        LOW_MEMORY
    }

    private static final String PRESET = SettingsText.OWN + "preset";

    /** The one key that belongs to a producer. */
    private static final String PRODUCE = SettingsText.OWN + "produce";

    /** Setters by key. A key is derived from its component's name: commitInterval is weir.commit.interval. */
    private static final Map<String, BiConsumer<ConsumerSettings.Builder<?, ?>, Entry>> OWN = new TreeMap<>(Map.of(
            PRESET,
            ConsumerSettingsReader::preset,
            key("commitInterval"),
            (builder, entry) -> builder.commitInterval(SettingsText.duration(entry)),
            key("commitRecords"),
            (builder, entry) -> builder.commitRecords(SettingsText.number(entry)),
            key("maxOutstandingRecords"),
            (builder, entry) -> builder.maxOutstandingRecords(SettingsText.number(entry)),
            key("bufferBytes"),
            (builder, entry) -> builder.bufferBytes(SettingsText.bytes(entry)),
            key("revokeDeadline"),
            (builder, entry) -> builder.revokeDeadline(SettingsText.duration(entry)),
            key("outOfRange"),
            (builder, entry) -> builder.outOfRange(SettingsText.choice(entry, OutOfRangePolicy.class)),
            key("connectTimeout"),
            (builder, entry) -> builder.connectTimeout(SettingsText.duration(entry)),
            key("commitMetadataChars"),
            (builder, entry) -> builder.commitMetadataChars(SettingsText.number(entry)),
            key("fetch"),
            (builder, entry) -> builder.fetch(SettingsText.choice(entry, FetchPath.class))));

    static {
        OWN.put(PRODUCE, (builder, entry) -> {});
        OWN.put(key("fetchThreads"), (builder, entry) -> builder.fetchThreads(SettingsText.number(entry)));
        OWN.put(key("maxBatchBytes"), (builder, entry) -> builder.maxBatchBytes(SettingsText.bytes(entry)));
        OWN.put(
                key("unreadableBatches"),
                (builder, entry) -> builder.unreadableBatches(
                        SettingsText.choice(entry, ConsumerSettings.UnreadableBatches.class)));
        OWN.put(key("onClose"), (builder, entry) -> builder.onClose(SettingsText.choice(entry, OnClose.class)));
    }

    private ConsumerSettingsReader() {}

    /** The key of a setting in files. */
    static String key(String component) {
        return SettingsText.OWN + component.replaceAll("([A-Z])", ".$1").toLowerCase(Locale.ROOT);
    }

    /** Sets all entries, a preset first, so that the others override it wherever they are written. */
    static void apply(List<Entry> entries, ConsumerSettings.Builder<?, ?> builder, Map<String, String> origins) {
        entries.stream()
                .sorted(Comparator.comparing(entry -> !entry.name().equals(PRESET)))
                .forEach(entry -> {
                    if (SettingsText.isOwn(entry.name())) {
                        var setter = OWN.get(entry.name());
                        if (setter == null) {
                            throw SettingsText.unknown(entry, OWN.keySet());
                        }
                        setter.accept(builder, entry);
                    } else {
                        SettingsText.checkSpelling(entry);
                        builder.property(entry.name(), entry.value());
                    }
                    origins.put(entry.name(), entry.origin());
                });
    }

    /**
     * Sets the client's entries and the produce path. Other {@code weir.} entries that belong to a consumer are
     * ignored, because one file may serve both clients; unknown ones are refused.
     */
    static void applyToProducer(
            List<Entry> entries, ProducerSettings.Builder<?, ?> builder, Map<String, String> origins) {
        for (Entry entry : entries) {
            if (!SettingsText.isOwn(entry.name())) {
                SettingsText.checkSpelling(entry);
                builder.property(entry.name(), entry.value());
                origins.put(entry.name(), entry.origin());
            } else if (entry.name().equals(PRODUCE)) {
                builder.produce(SettingsText.choice(entry, ProducePath.class));
            } else if (!OWN.containsKey(entry.name())) {
                throw SettingsText.unknown(entry, OWN.keySet());
            }
        }
    }

    private static void preset(ConsumerSettings.Builder<?, ?> builder, Entry entry) {
        switch (SettingsText.choice(entry, Preset.class)) {
            case THROUGHPUT -> builder.throughput();
            case LATENCY -> builder.latency();
            case LOW_MEMORY -> builder.lowMemory();
        }
    }

    /** Makes the error for a setting that was read, with its origin. */
    static IllegalArgumentException located(IllegalArgumentException refusal, Map<String, String> origins) {
        String message = String.valueOf(refusal.getMessage());
        for (Map.Entry<String, String> read : origins.entrySet()) {
            boolean named = message.startsWith(read.getKey() + "=");
            for (RecordComponent component : ConsumerSettings.Values.class.getRecordComponents()) {
                named |= read.getKey().equals(key(component.getName())) && message.contains(component.getName() + "=");
            }
            if (named) {
                return new IllegalArgumentException(read.getValue() + ": " + message, refusal);
            }
        }
        return refusal;
    }
}
