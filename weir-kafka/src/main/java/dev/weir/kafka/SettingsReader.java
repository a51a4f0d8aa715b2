package dev.weir.kafka;

import dev.weir.kafka.internal.settings.SettingsText;
import dev.weir.kafka.internal.settings.SettingsText.Entry;
import dev.weir.stream.spi.Thrown;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Applies textual settings to a builder, except for settings whose values are objects, such as listeners. A key is the
 * setting's name in lower case, with dots between words: {@code commitInterval} is {@code weir.commit.interval}.
 * Stateless.
 */
final class SettingsReader {

    /** The values of {@code weir.preset}. */
    private enum Preset {
        THROUGHPUT,
        LATENCY,
        LOW_MEMORY
    }

    /** The values of a boolean setting. */
    private enum Switch {
        TRUE,
        FALSE
    }

    private static final Pattern DOT = Pattern.compile("\\.([a-z])");
    private static final String PRESET = SettingsText.OWN + "preset";

    /** The only one of Weir's own settings for producers. */
    private static final String PRODUCE = SettingsText.OWN + "produce";

    private static final Map<String, BiConsumer<ConsumerSettings.Builder<?, ?>, Entry>> CONSUMER = consumer();
    private static final Map<String, BiConsumer<ShareSettings.Builder<?, ?>, Entry>> SHARE = share();
    private static final Map<String, BiConsumer<ProducerSettings.Builder<?, ?>, Entry>> PRODUCER = producer();

    private SettingsReader() {}

    private static Map<String, BiConsumer<ConsumerSettings.Builder<?, ?>, Entry>> consumer() {
        Map<String, BiConsumer<ConsumerSettings.Builder<?, ?>, Entry>> setters = new TreeMap<>();
        setters.put(PRESET, SettingsReader::preset);
        setters.put(PRODUCE, (builder, entry) -> {});
        setters.put(key("commitInterval"), (builder, entry) -> builder.commitInterval(SettingsText.duration(entry)));
        setters.put(key("commitRecords"), (builder, entry) -> builder.commitRecords(SettingsText.number(entry)));
        setters.put(
                key("maxOutstandingRecords"),
                (builder, entry) -> builder.maxOutstandingRecords(SettingsText.number(entry)));
        setters.put(key("bufferBytes"), (builder, entry) -> builder.bufferBytes(SettingsText.bytes(entry)));
        setters.put(key("revokeDeadline"), (builder, entry) -> builder.revokeDeadline(SettingsText.duration(entry)));
        setters.put(
                key("outOfRange"),
                (builder, entry) -> builder.outOfRange(SettingsText.choice(entry, OutOfRangePolicy.class)));
        setters.put(key("connectTimeout"), (builder, entry) -> builder.connectTimeout(SettingsText.duration(entry)));
        setters.put(
                key("commitMetadataChars"),
                (builder, entry) -> builder.commitMetadataChars(SettingsText.number(entry)));
        setters.put(key("fetch"), (builder, entry) -> builder.fetch(SettingsText.choice(entry, FetchPath.class)));
        setters.put(key("fetchThreads"), (builder, entry) -> builder.fetchThreads(SettingsText.number(entry)));
        setters.put(key("fetchCpus"), (builder, entry) -> builder.fetchCpus(SettingsText.numbers(entry)));
        setters.put(key("onClose"), (builder, entry) -> builder.onClose(SettingsText.choice(entry, OnClose.class)));
        setters.put(key("maxBatchBytes"), (builder, entry) -> builder.maxBatchBytes(SettingsText.bytes(entry)));
        setters.put(key("unreadableBatches"), (builder, entry) -> builder.unreadableBatches(unreadable(entry)));
        return setters;
    }

    private static Map<String, BiConsumer<ShareSettings.Builder<?, ?>, Entry>> share() {
        Map<String, BiConsumer<ShareSettings.Builder<?, ?>, Entry>> setters = new TreeMap<>();
        setters.put(PRODUCE, (builder, entry) -> {});
        setters.put(
                key("startAt"),
                (builder, entry) -> builder.startAt(SettingsText.choice(entry, ShareSettings.Start.class)));
        setters.put(key("untilEnd"), (builder, entry) -> {
            if (SettingsText.choice(entry, Switch.class) == Switch.TRUE) {
                builder.untilEnd();
            }
        });
        setters.put(key("workers"), (builder, entry) -> builder.workers(SettingsText.number(entry)));
        setters.put(key("maxLanes"), (builder, entry) -> builder.maxLanes(SettingsText.number(entry)));
        setters.put(key("connectTimeout"), (builder, entry) -> builder.connectTimeout(SettingsText.duration(entry)));
        setters.put(key("fetch"), (builder, entry) -> builder.fetch(SettingsText.choice(entry, FetchPath.class)));
        setters.put(key("memberName"), (builder, entry) -> builder.memberName(SettingsText.name(entry)));
        setters.put(key("deadLetterTopic"), (builder, entry) -> builder.deadLetterTopic(SettingsText.name(entry)));
        setters.put(key("parking"), (builder, entry) -> builder.parking(SettingsText.name(entry)));
        setters.put(key("maxBatchBytes"), (builder, entry) -> builder.maxBatchBytes(SettingsText.bytes(entry)));
        setters.put(key("unreadableBatches"), (builder, entry) -> builder.unreadableBatches(unreadable(entry)));
        return setters;
    }

    /** Creates the setters of producers. They ignore the keys of consumers, which may be in the same file. */
    private static Map<String, BiConsumer<ProducerSettings.Builder<?, ?>, Entry>> producer() {
        Map<String, BiConsumer<ProducerSettings.Builder<?, ?>, Entry>> setters = new TreeMap<>();
        Set<String> ofConsumers = new TreeSet<>(CONSUMER.keySet());
        ofConsumers.addAll(SHARE.keySet());
        ofConsumers.forEach(key -> setters.put(key, (builder, entry) -> {}));
        setters.put(PRODUCE, (builder, entry) -> builder.produce(SettingsText.choice(entry, ProducePath.class)));
        return setters;
    }

    /** Converts a setting's name to its key: {@code commitInterval} becomes {@code weir.commit.interval}. */
    private static String key(String setting) {
        return SettingsText.OWN + setting.replaceAll("([A-Z])", ".$1").toLowerCase(Locale.ROOT);
    }

    /** Converts a key to the setting's name: {@code weir.commit.interval} becomes {@code commitInterval}. */
    private static String setting(String key) {
        return DOT.matcher(key.substring(SettingsText.OWN.length()))
                .replaceAll(dot -> dot.group(1).toUpperCase(Locale.ROOT));
    }

    static void apply(List<Entry> entries, ConsumerSettings.Builder<?, ?> builder, Map<String, String> origins) {
        apply(entries, builder, CONSUMER, builder::property, origins);
    }

    static void apply(List<Entry> entries, ShareSettings.Builder<?, ?> builder, Map<String, String> origins) {
        apply(entries, builder, SHARE, builder::property, origins);
    }

    static void apply(List<Entry> entries, ProducerSettings.Builder<?, ?> builder, Map<String, String> origins) {
        apply(entries, builder, PRODUCER, builder::property, origins);
    }

    /** Applies all entries, the preset first. Other entries override it. */
    private static <B> void apply(
            List<Entry> entries,
            B builder,
            Map<String, BiConsumer<B, Entry>> own,
            BiConsumer<String, String> properties,
            Map<String, String> origins) {
        entries.stream()
                .sorted(Comparator.comparing(entry -> !entry.name().equals(PRESET)))
                .forEach(entry -> {
                    if (SettingsText.isOwn(entry.name())) {
                        var setter = own.get(entry.name());
                        if (setter == null) {
                            throw SettingsText.unknown(entry, own.keySet());
                        }
                        setter.accept(builder, entry);
                    } else {
                        SettingsText.checkSpelling(entry);
                        properties.accept(entry.name(), entry.value());
                    }
                    origins.put(entry.name(), entry.origin());
                });
    }

    private static void preset(ConsumerSettings.Builder<?, ?> builder, Entry entry) {
        switch (SettingsText.choice(entry, Preset.class)) {
            case THROUGHPUT -> builder.throughput();
            case LATENCY -> builder.latency();
            case LOW_MEMORY -> builder.lowMemory();
        }
    }

    private static ConsumerSettings.UnreadableBatches unreadable(Entry entry) {
        return SettingsText.choice(entry, ConsumerSettings.UnreadableBatches.class);
    }

    static IllegalArgumentException located(IllegalArgumentException refusal, Map<String, String> origins) {
        String message = Thrown.reason(refusal);
        String origin = originOf(message, origins);
        return origin == null ? refusal : new IllegalArgumentException(origin + ": " + message, refusal);
    }

    /**
     * Returns the origin of the setting at the start of the message, or of the first setting in the form
     * {@code name=value}.
     */
    private static @Nullable String originOf(String message, Map<String, String> origins) {
        String origin = null;
        int first = message.length();
        for (Map.Entry<String, String> read : origins.entrySet()) {
            int at = placeOf(read.getKey(), message);
            if (at >= 0 && at < first) {
                first = at;
                origin = read.getValue();
            }
        }
        return origin;
    }

    private static int placeOf(String key, String message) {
        if (!SettingsText.isOwn(key)) {
            return message.startsWith(key + "=") || message.startsWith(key + " ") ? 0 : -1;
        }
        String setting = setting(key);
        return message.startsWith(setting + " ") ? 0 : message.indexOf(setting + "=");
    }
}
