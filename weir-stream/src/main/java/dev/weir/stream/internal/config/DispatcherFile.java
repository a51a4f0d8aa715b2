package dev.weir.stream.internal.config;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.Dispatcher.Kind;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Creates dispatchers from a properties file: {@code dispatcher.<name>.kind} and {@code dispatcher.<name>.size}.
 * Stateless.
 */
public final class DispatcherFile {

    private static final String PREFIX = "dispatcher.";
    private static final String VARIABLE_PREFIX = "WEIR_DISPATCHER_";
    private static final String KIND = "kind";
    private static final String SIZE = "size";
    private static final List<String> PROPERTIES = List.of(KIND, SIZE);
    private static final Pattern KEY = Pattern.compile("dispatcher\\.([A-Za-z0-9_-]+)\\.([^.]+)");
    private static final int MAX_SIZE = 32_767;

    private static final int FAR = 3;

    private DispatcherFile() {}

    /** The settings of one dispatcher. */
    private static final class Entry {
        final String name;
        final Map<String, Setting> settings = new LinkedHashMap<>();

        Entry(String name) {
            this.name = name;
        }
    }

    /** A value and its origin: {@code file:line} or an environment variable. */
    private record Setting(String value, String place) {}

    /** See {@link dev.weir.stream.Dispatchers#parse}. */
    public static List<Dispatcher> read(String fileName, String text, Map<String, String> environment) {
        Map<String, Entry> entries = new LinkedHashMap<>();
        for (PropertyLines.Line line : PropertyLines.of(fileName, text)) {
            take(line.key(), new Setting(line.value(), fileName + ":" + line.number()), entries);
        }
        override(fileName, entries, environment);
        List<Checked> checked =
                entries.values().stream().map(DispatcherFile::check).toList();
        return checked.stream().map(Checked::make).toList();
    }

    private static void take(String key, Setting setting, Map<String, Entry> entries) {
        Matcher matcher = KEY.matcher(key);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(setting.place + ": unknown key " + key
                    + "; keys are dispatcher.<name>.kind and dispatcher.<name>.size"
                    + suggestion(key, nearKeys(key)));
        }
        String name = matcher.group(1);
        String property = matcher.group(2);
        if (!PROPERTIES.contains(property)) {
            List<String> known =
                    PROPERTIES.stream().map(each -> PREFIX + name + "." + each).toList();
            throw new IllegalArgumentException(setting.place + ": unknown key " + key + suggestion(key, known));
        }
        Setting before = entries.computeIfAbsent(name, Entry::new).settings.putIfAbsent(property, setting);
        if (before != null) {
            throw new IllegalArgumentException(setting.place + ": " + key + " is set already at " + before.place);
        }
    }

    /** Returns the keys to suggest if only the prefix of {@code key} is wrong. */
    private static List<String> nearKeys(String key) {
        String[] parts = key.split("\\.", -1);
        return parts.length == 3
                ? PROPERTIES.stream()
                        .map(each -> PREFIX + parts[1] + "." + each)
                        .toList()
                : List.of();
    }

    private static void override(String fileName, Map<String, Entry> entries, Map<String, String> environment) {
        Map<String, String> ours = new TreeMap<>(environment);
        ours.keySet().removeIf(variable -> !variable.startsWith(VARIABLE_PREFIX));
        if (ours.isEmpty()) {
            return;
        }
        Map<String, Runnable> known = new LinkedHashMap<>();
        for (Entry entry : entries.values()) {
            for (String property : PROPERTIES) {
                String variable = variableOf(entry.name, property);
                Runnable put = () -> entry.settings.put(
                        property, new Setting(String.valueOf(ours.get(variable)), "environment variable " + variable));
                if (known.put(variable, put) != null) {
                    throw new IllegalArgumentException(fileName + ": " + variable
                            + " would mean two dispatchers; give one of them a name that differs in more than - and _");
                }
            }
        }
        for (String variable : ours.keySet()) {
            Runnable put = known.get(variable);
            if (put == null) {
                throw new IllegalArgumentException("environment variable " + variable + " overrides nothing that is in "
                        + fileName + suggestion(variable, known.keySet()));
            }
            put.run();
        }
    }

    private static String variableOf(String name, String property) {
        return VARIABLE_PREFIX + (name + "_" + property).replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** A validated dispatcher. All dispatchers are validated before the first one is created. */
    private record Checked(String name, Kind kind, int size) {
        Dispatcher make() {
            return switch (kind) {
                case VIRTUAL -> Dispatcher.virtual(name);
                case FORK_JOIN -> Dispatcher.forkJoin(name, size);
                case FIXED -> Dispatcher.fixed(name, size);
                case SINGLE -> Dispatcher.single(name);
            };
        }
    }

    private static Checked check(Entry entry) {
        Setting kindSetting = entry.settings.get(KIND);
        Setting sizeSetting = entry.settings.get(SIZE);
        if (kindSetting == null) {
            Setting other = entry.settings.values().iterator().next();
            throw new IllegalArgumentException(other.place + ": dispatcher " + entry.name + " has no kind; add "
                    + PREFIX + entry.name + ".kind=" + String.join("|", kindNames()));
        }
        Kind kind = kindOf(kindSetting);
        if (sizeSetting == null) {
            return new Checked(entry.name, kind, Runtime.getRuntime().availableProcessors());
        }
        if (kind == Kind.VIRTUAL || kind == Kind.SINGLE) {
            throw new IllegalArgumentException(sizeSetting.place + ": dispatcher " + entry.name + " is of kind "
                    + nameOf(kind) + ", which has no size");
        }
        return new Checked(entry.name, kind, sizeOf(entry.name, sizeSetting));
    }

    private static Kind kindOf(Setting setting) {
        for (Kind kind : Kind.values()) {
            if (nameOf(kind).equals(setting.value)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(setting.place + ": kind must be one of "
                + String.join(", ", kindNames()) + ": kind=" + setting.value
                + suggestion(setting.value, kindNames()));
    }

    private static List<String> kindNames() {
        return Stream.of(Kind.values()).map(DispatcherFile::nameOf).toList();
    }

    private static String nameOf(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static int sizeOf(String name, Setting setting) {
        int size;
        try {
            size = Integer.parseInt(setting.value);
        } catch (NumberFormatException notANumber) {
            size = 0;
        }
        if (size < 1 || size > MAX_SIZE) {
            throw new IllegalArgumentException(setting.place + ": size of dispatcher " + name
                    + " must be a number from 1 to " + MAX_SIZE + ": size=" + setting.value);
        }
        return size;
    }

    /**
     * Returns {@code "; did you mean X?"} for the most similar known name, or an empty string if no name is similar.
     */
    public static String suggestion(String written, Collection<String> known) {
        String nearest = null;
        int least = FAR + 1;
        for (String candidate : known) {
            int distance = distance(written.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest == null ? "" : "; did you mean " + nearest + "?";
    }

    /** Returns the Levenshtein distance. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
