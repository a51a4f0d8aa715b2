package dev.weir.kafka.internal.settings;

import dev.weir.stream.spi.Thrown;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.jspecify.annotations.Nullable;

/** Reads settings from files and the environment, and prints them without their secrets. Stateless. */
public final class SettingsText {

    /** The prefix of Weir's own settings. Other settings belong to Kafka's clients. */
    public static final String OWN = "weir.";

    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,12})\\s*([a-zA-Z]*)");

    private static final Map<String, ChronoUnit> UNITS =
            Map.of("ms", ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS, "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS);

    /** The settings of all Kafka clients, because several clients may use the same file. */
    private static final Set<String> CLIENTS = Stream.of(
                    ConsumerConfig.configNames(), ProducerConfig.configNames(), AdminClientConfig.configNames())
            .flatMap(Set::stream)
            .collect(Collectors.toUnmodifiableSet());

    /** The maximum edit distance of a misspelling. Swapping two characters counts as two edits. */
    private static final int MAX_SLIPS = 2;

    /**
     * A setting as written in a file, the environment or a map.
     *
     * @param origin the file and line or the environment variable, for error messages
     */
    public record Entry(String name, String value, String origin) {}

    private SettingsText() {}

    /** Returns whether a name begins with the prefix of Weir's own settings, ignoring case. */
    public static boolean isOwn(String name) {
        return name.regionMatches(true, 0, OWN, 0, OWN.length());
    }

    /** Reads a properties file in UTF-8. Throws IllegalArgumentException if a key occurs twice. */
    public static List<Entry> read(Path file) {
        String text;
        KeysOnce properties = new KeysOnce();
        try {
            // Windows editors may write a byte order mark at the start of a file.
            text = Files.readString(file).replaceFirst("^\uFEFF", "");
            try (Reader in = new StringReader(text)) {
                properties.load(in);
            }
        } catch (IOException | IllegalArgumentException e) { // IllegalArgumentException: malformed \\u escape.
            throw new IllegalArgumentException(
                    "the settings file " + file + " cannot be read: "
                            + (e instanceof IOException io ? why(io) : Thrown.reason(e)),
                    e);
        }
        List<String> lines = text.lines().toList();
        if (properties.repeated != null) {
            throw new IllegalArgumentException(file.getFileName() + ":" + lineOf(properties.repeated, lines)
                    + ": " + properties.repeated + " is given twice, first in line "
                    + (lines.size() + 1 - lineOf(properties.repeated, lines.reversed())) + "; leave one out");
        }
        List<Entry> entries = new ArrayList<>();
        for (String name : properties.stringPropertyNames()) {
            entries.add(new Entry(
                    name, properties.getProperty(name).strip(), file.getFileName() + ":" + lineOf(name, lines)));
        }
        return entries;
    }

    /** Properties that remember the first duplicate key. {@link Properties} itself keeps the last value silently. */
    private static final class KeysOnce extends Properties {

        private static final long serialVersionUID = 1L;

        private transient @Nullable String repeated;

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread reads a file
        public @Nullable Object put(Object key, Object value) {
            if (repeated == null && containsKey(key)) {
                repeated = String.valueOf(key);
            }
            return super.put(key, value);
        }
    }

    private static String why(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "no such file";
            case AccessDeniedException denied -> "permission denied";
            case CharacterCodingException binary -> "not a text in UTF-8";
            default -> Thrown.reason(e);
        };
    }

    private static int lineOf(String name, List<String> lines) {
        for (int i = lines.size() - 1; i >= 0; i--) {
            Properties line = new Properties();
            try {
                line.load(new StringReader(lines.get(i)));
            } catch (IOException | IllegalArgumentException e) { // a continued line may be invalid on its own
                continue;
            }
            if (line.containsKey(name)) {
                return i + 1;
            }
        }
        return 1;
    }

    /**
     * Reads settings from the variables with the prefix: PREFIX_MAX_POLL_RECORDS becomes max.poll.records. Throws
     * IllegalArgumentException if two variables, whose names differ in case, set the same key.
     */
    public static List<Entry> read(Map<String, String> environment, String prefix) {
        if (prefix.isBlank()) {
            throw new IllegalArgumentException(
                    "the prefix of environment variables must not be blank: prefix=" + prefix);
        }
        Map<String, Entry> entries = new LinkedHashMap<>();
        new TreeMap<>(environment).forEach((variable, value) -> {
            if (variable.startsWith(prefix) && variable.length() > prefix.length()) {
                String name = variable.substring(prefix.length())
                        .toLowerCase(Locale.ROOT)
                        .replace('_', '.');
                Entry before = entries.putIfAbsent(name, new Entry(name, value.strip(), variable));
                if (before != null) {
                    throw new IllegalArgumentException(
                            variable + ": " + name + " is given twice, first by " + before.origin + "; leave one out");
                }
            }
        });
        return List.copyOf(entries.values());
    }

    /** Returns entries for settings that the caller has read, in alphabetical order. */
    public static List<Entry> read(Map<String, String> settings, UnaryOperator<String> origin) {
        Objects.requireNonNull(origin, "origin");
        List<Entry> entries = new ArrayList<>();
        new TreeMap<>(Objects.requireNonNull(settings, "settings")).forEach((name, value) -> {
            String written = origin.apply(name);
            entries.add(new Entry(name, Objects.requireNonNull(value, written).strip(), written));
        });
        return entries;
    }

    /** Parses a duration such as 500ms, 20s, 2m, 1h or PT20S. */
    public static Duration duration(Entry entry) {
        Matcher amount = AMOUNT.matcher(entry.value);
        ChronoUnit unit = amount.matches() ? UNITS.get(amount.group(2).toLowerCase(Locale.ROOT)) : null;
        if (unit != null) {
            return Duration.of(Long.parseLong(amount.group(1)), unit);
        }
        try {
            return Duration.parse(entry.value);
        } catch (DateTimeParseException e) {
            throw refused(entry, "a time like 500ms, 20s, 2m, 1h or PT20S");
        }
    }

    /** Parses a size such as 65536, 64KB, 16MB or 1GB; the units are powers of 1,024. */
    public static long bytes(Entry entry) {
        Matcher amount = AMOUNT.matcher(entry.value);
        int shift = !amount.matches()
                ? -1
                : switch (amount.group(2).toUpperCase(Locale.ROOT)) {
                    case "" -> 0;
                    case "KB" -> 10;
                    case "MB" -> 20;
                    case "GB" -> 30;
                    default -> -1;
                };
        if (shift < 0 || Long.parseLong(amount.group(1)) > Long.MAX_VALUE >> shift) {
            throw refused(entry, "a size like 65536, 64KB, 16MB or 1GB");
        }
        return Long.parseLong(amount.group(1)) << shift;
    }

    public static int number(Entry entry) {
        try {
            return Integer.parseInt(entry.value.replace("_", ""));
        } catch (NumberFormatException e) {
            throw refused(entry, "a whole number");
        }
    }

    /** Returns the numbers of a list, which are separated by commas. */
    public static int[] numbers(Entry entry) {
        try {
            return Arrays.stream(entry.value.split(",", -1))
                    .mapToInt(each -> Integer.parseInt(each.strip()))
                    .toArray();
        } catch (NumberFormatException e) {
            throw refused(entry, "whole numbers separated by commas");
        }
    }

    /** Returns the value of a setting that is a name. Refuses a blank value. */
    public static String name(Entry entry) {
        if (entry.value.isBlank()) {
            throw refused(entry, "a name");
        }
        return entry.value;
    }

    /** Parses an enum constant. Case is ignored, and hyphens may replace underscores. */
    public static <E extends Enum<E>> E choice(Entry entry, Class<E> choices) {
        try {
            return Enum.valueOf(choices, entry.value.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException e) {
            List<String> names = new ArrayList<>();
            for (E choice : choices.getEnumConstants()) {
                names.add(choice.name().toLowerCase(Locale.ROOT).replace('_', '-'));
            }
            throw refused(entry, String.join(", ", names));
        }
    }

    /** Creates the exception for an invalid value of one of Weir's own settings, which contain no secrets. */
    public static IllegalArgumentException refused(Entry entry, String allowed) {
        return new IllegalArgumentException(
                entry.origin + ": " + entry.name + " must be " + allowed + ": " + entry.name + "=" + entry.value);
    }

    public static IllegalArgumentException unknown(Entry entry, Collection<String> known) {
        String written = entry.name.toLowerCase(Locale.ROOT);
        String nearest = known.stream()
                .min(Comparator.comparingInt(name -> distance(name, written)))
                .orElseThrow();
        return new IllegalArgumentException(entry.origin + ": there is no setting " + entry.name
                + (distance(nearest, written) <= written.length() / 2
                        ? "; did you mean " + nearest + "?"
                        : "; there are " + String.join(", ", known)));
    }

    /**
     * Refuses a misspelled client setting, which the client would ignore. Accepts names that resemble no known setting,
     * because plug-ins such as interceptors have settings of their own.
     */
    public static void checkSpelling(Entry entry) {
        if (CLIENTS.contains(entry.name)) {
            return;
        }
        String written = entry.name.toLowerCase(Locale.ROOT);
        String nearest = CLIENTS.stream()
                .min(Comparator.comparingInt(name -> distance(name, written)))
                .orElseThrow();
        if (distance(nearest, written) <= MAX_SLIPS) {
            throw new IllegalArgumentException(
                    entry.origin + ": no Kafka client has a setting " + entry.name + "; did you mean " + nearest + "?");
        }
    }

    /** Returns the edit distance: the number of characters to change, add or remove. */
    private static int distance(String a, String b) {
        int[] above = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = above[0];
            above[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = above[j];
                above[j] = Math.min(changed, 1 + Math.min(above[j], above[j - 1]));
            }
        }
        return above[b.length()];
    }

    /**
     * Formats client properties for display. Hides a value if the client does not define the property, if its type is a
     * password, or if it is a URL with a user or a query.
     */
    public static String withoutSecrets(Map<String, String> properties, ConfigDef known) {
        Map<String, String> shown = new TreeMap<>();
        properties.forEach((name, value) -> {
            ConfigDef.ConfigKey key = known.configKeys().get(name);
            boolean isHidden = key == null
                    || key.type() == ConfigDef.Type.PASSWORD
                    || (value.contains("://") && (value.contains("@") || value.contains("?")));
            shown.put(name, isHidden ? "[hidden]" : value);
        });
        return shown.toString();
    }
}
