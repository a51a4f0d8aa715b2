package dev.weir.checks.arch;

import dev.weir.checks.arch.SettingsSource.Member;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.ShareSettings;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanSettings;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The tables of {@code configuration.md}. Each settings type has a chapter {@code ## Words (`Type`)}. Its first table
 * is generated from the type's source, Javadoc and defaults.
 */
final class SettingsPage {

    /** Builder methods without a row. The page describes methods that set many Kafka properties in prose. */
    private static final Set<String> NO_SETTINGS = Set.of("property", "properties", "from", "fromEnvironment", "check");

    private static final Pattern SEE = Pattern.compile("\\s*See \\{@link [^}]*}\\.\\s*");
    private static final Pattern KEY = Pattern.compile("weir\\.[a-z.]{2,}");

    /** Types whose settings are the methods of their builder. */
    private static final List<String> BUILDERS = List.of(
            "dev.weir.kafka.ConsumerSettings",
            "dev.weir.kafka.ProducerSettings",
            "dev.weir.kafka.ShareSettings",
            "dev.weir.lean.LeanSettings",
            "dev.weir.lean.LeanProducerSettings",
            "dev.weir.lean.LeanThreads",
            "dev.weir.console.ConsoleServer",
            "dev.weir.metrics.MetricsServer");

    /** Types whose settings are methods that return a copy. */
    private static final List<String> COPIES = List.of(
            "dev.weir.kafka.Subscription",
            "dev.weir.kafka.HandledRecords",
            "dev.weir.kafka.HandledFlow",
            "dev.weir.kafka.HandledSharedFlow",
            "dev.weir.kafka.CircuitBreaker",
            "dev.weir.kafka.RetryTopics",
            "dev.weir.kafka.deadletter.DeadLetterTopic",
            "dev.weir.kafka.KafkaSink",
            "dev.weir.kafka.TransactionalSink",
            "dev.weir.kafka.produce.WriteFailures",
            "dev.weir.kafka.ExactlyOnceFlow",
            "dev.weir.stream.RetryPolicy",
            "dev.weir.stream.Backoff",
            "dev.weir.stream.RestartSettings");

    /** Instances with the defaults. */
    private static final Map<String, Object> DEFAULTS = Map.of(
            "ConsumerSettings",
            ConsumerSettings.builder().bootstrapServers("localhost:9092").build(),
            "ProducerSettings",
            ProducerSettings.builder().bootstrapServers("localhost:9092").build(),
            "ShareSettings",
            ShareSettings.builder()
                    .bootstrapServers("localhost:9092")
                    .groupId("group")
                    .build(),
            "LeanSettings",
            LeanSettings.builder().bootstrapServers("localhost:9092").build(),
            "LeanProducerSettings",
            LeanProducerSettings.builder().bootstrapServers("localhost:9092").build());

    private final Path root;

    SettingsPage(Path root) {
        this.root = root;
    }

    static Set<String> chapters() {
        Set<String> names = new LinkedHashSet<>();
        BUILDERS.forEach(name -> names.add(simple(name)));
        COPIES.forEach(name -> names.add(simple(name)));
        names.add("WeirProperties");
        return names;
    }

    String with(String page) throws IOException {
        String made = page;
        for (String type : BUILDERS) {
            made = withTable(made, simple(type), ofBuilder(type));
        }
        for (String type : COPIES) {
            made = withTable(made, simple(type), ofCopies(type));
        }
        return withTable(made, "WeirProperties", ofProperties());
    }

    private static String simple(String type) {
        return type.substring(type.lastIndexOf('.') + 1);
    }

    private static String withTable(String page, String type, String table) {
        Matcher chapter = Pattern.compile(
                        "(?m)(^## [^\n]*\\(`" + type + "`\\)\n(?:(?!## |\\|)[^\n]*\n)*)((?:\\|[^\n]*\n)+)")
                .matcher(page);
        if (!chapter.find()) {
            throw new IllegalStateException("configuration.md has no chapter ## ... (`" + type + "`) with a table");
        }
        return page.substring(0, chapter.end(1)) + table + page.substring(chapter.end(2));
    }

    private String ofBuilder(String type) throws IOException {
        SettingsSource source = source(type);
        Map<String, String> accessors = new LinkedHashMap<>();
        source.members(simple(type)).forEach(member -> accessors.putIfAbsent(member.name(), member.doc()));
        Set<String> keys = keys(type);
        StringBuilder table = new StringBuilder(head(!keys.isEmpty()));
        for (Member setter : settings(source, "Builder")) {
            String doc = SEE.matcher(setter.doc()).matches() || setter.doc().isBlank()
                    ? accessors.getOrDefault(setter.name(), "")
                    : setter.doc();
            String key = "weir." + setter.name().replaceAll("([A-Z])", ".$1").toLowerCase(Locale.ROOT);
            table.append("| `").append(setter.name()).append("` | ");
            if (!keys.isEmpty()) {
                table.append(keys.contains(key) ? "`" + key + "` | " : "| ");
            }
            table.append(values(type + "$Builder", setter.name()))
                    .append("| ")
                    .append(byDefault(simple(type), setter.name()))
                    .append("| ")
                    .append(text(type, setter.name(), doc))
                    .append(" |\n");
        }
        return table.toString();
    }

    private String ofCopies(String type) throws IOException {
        StringBuilder table = new StringBuilder("| setting | values | what it does |\n|---|---|---|\n");
        for (Member setter : settings(source(type), simple(type))) {
            table.append("| `")
                    .append(setter.name())
                    .append("` | ")
                    .append(values(type, setter.name()))
                    .append("| ")
                    .append(text(type, setter.name(), setter.doc()))
                    .append(" |\n");
        }
        return table.toString();
    }

    private static String head(boolean hasKeys) {
        return hasKeys
                ? "| setting | in files | values | default | what it does |\n|---|---|---|---|---|\n"
                : "| setting | values | default | what it does |\n|---|---|---|---|\n";
    }

    /** Returns the methods that return their own type, one per name. */
    private static List<Member> settings(SettingsSource source, String type) {
        Map<String, Member> settings = new LinkedHashMap<>();
        for (Member member : source.members(type)) {
            boolean isSetting = member.isPublic()
                    && member.type().replaceAll("<.*", "").equals(type)
                    && !NO_SETTINGS.contains(member.name());
            if (isSetting) {
                settings.merge(
                        member.name(), member, (first, second) -> first.doc().isBlank() ? second : first);
            }
        }
        return List.copyOf(settings.values());
    }

    private static String text(String type, String setting, String doc) {
        String text = JavadocText.paragraph(doc);
        if (text.isBlank()) {
            throw new IllegalStateException("a setting without Javadoc: " + type + "." + setting);
        }
        return text;
    }

    private SettingsSource source(String type) throws IOException {
        String path = type.replace('.', '/') + ".java";
        for (WeirModule module : WeirModule.values()) {
            Path file = root.resolve(module.folder).resolve("src/main/java").resolve(path);
            if (file.toFile().exists()) {
                return SettingsSource.read(file);
            }
        }
        throw new IllegalStateException("no source of " + type);
    }

    /** Returns the keys of a type that is read from files. The error message for an unknown key lists them. */
    private static Set<String> keys(String type) {
        Map<String, String> unknown = Map.of("weir.x", "1");
        try {
            switch (simple(type)) {
                case "ConsumerSettings" -> ConsumerSettings.builder().from(unknown, key -> "any");
                case "ShareSettings" -> ShareSettings.builder().from(unknown, key -> "any");
                case "ProducerSettings" -> {
                    return Set.of("weir.produce");
                }
                default -> {
                    return Set.of();
                }
            }
        } catch (IllegalArgumentException refusal) {
            return KEY.matcher(refusal.getMessage())
                    .results()
                    .map(key -> key.group())
                    .collect(Collectors.toSet());
        }
        throw new IllegalStateException("weir.x is no setting of " + type);
    }

    /** Returns the values or the kind of the first parameter, and a blank; empty without a parameter. */
    private static String values(String type, String setting) {
        Class<?> owner = load(type);
        Method setter = Arrays.stream(owner.getDeclaredMethods())
                .filter(method -> method.getName().equals(setting)
                        && Modifier.isPublic(method.getModifiers())
                        && !method.isSynthetic()
                        && method.getReturnType() == owner)
                .min(Comparator.comparingInt(Method::getParameterCount)
                        .thenComparing(
                                method -> Arrays.toString(method.getParameterTypes()), Comparator.reverseOrder()))
                .orElseThrow();
        List<String> kinds = new ArrayList<>();
        for (Class<?> parameter : setter.getParameterTypes()) {
            kinds.add(kind(parameter, setting));
        }
        return kinds.isEmpty() ? "" : String.join(", ", kinds) + " ";
    }

    private static String kind(Class<?> parameter, String setting) {
        if (parameter.isEnum()) {
            return Arrays.stream(parameter.getEnumConstants())
                    .map(each -> "`" + each + "`")
                    .collect(Collectors.joining(", "));
        }
        if (parameter == int.class || parameter == long.class) {
            return setting.endsWith("Bytes") ? "bytes" : "a number";
        }
        return switch (parameter.getSimpleName()) {
            case "Duration" -> "a time";
            case "String" -> "a string";
            case "String[]", "Collection" -> "names";
            case "boolean" -> "`true`, `false`";
            case "double" -> "a number";
            case "int[]" -> "numbers";
            default -> "`" + parameter.getSimpleName().replace("[]", "...") + "`";
        };
    }

    private static Class<?> load(String type) {
        try {
            return Class.forName(type);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the default of a setting, from its accessor. */
    private static String byDefault(String type, String setting) {
        Object settings = DEFAULTS.get(type);
        if (settings == null) {
            return "";
        }
        Object value;
        try {
            Method accessor = settings.getClass().getMethod(setting);
            value = accessor.invoke(settings);
        } catch (ReflectiveOperationException noAccessor) {
            return "";
        }
        return switch (value) {
            case null -> "none ";
            case Duration time -> time(time) + " ";
            case Integer number -> String.format(Locale.ROOT, "%,d ", number);
            case Boolean isOn -> "`" + isOn + "` ";
            case Enum<?> choice -> "`" + choice + "` ";
            default -> "";
        };
    }

    private static String time(Duration time) {
        if (time.toMillis() % 1000 != 0) {
            return time.toMillis() + " ms";
        }
        return time.toSeconds() >= 60 && time.toSeconds() % 60 == 0
                ? time.toMinutes() + " min"
                : time.toSeconds() + " s";
    }

    /** Returns the properties of a Spring application, from the records bound by Spring. */
    private String ofProperties() throws IOException {
        StringBuilder table = new StringBuilder("| property | values | default | what it does |\n|---|---|---|---|\n");
        SettingsSource source = source("dev.weir.spring.WeirProperties");
        properties(source, "WeirProperties", "weir", table);
        return table.toString();
    }

    private static void properties(SettingsSource source, String type, String prefix, StringBuilder table) {
        for (Member component : source.members(type)) {
            if (!component.isComponent()) {
                continue;
            }
            String name =
                    prefix + "." + component.name().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            String kind = component.type().replaceAll("^.*[.]", "");
            String ofMap = kind.replaceAll("Map<\\w+, ?(\\w+)>", "$1");
            if (!source.members(kind).isEmpty()) {
                properties(source, kind, name, table);
            } else if (!source.members(ofMap).isEmpty()) {
                properties(source, ofMap, name + ".NAME", table);
            } else {
                table.append("| `")
                        .append(name)
                        .append(kind.startsWith("Map") ? ".*" : "")
                        .append("` | ")
                        .append(kindOfProperty(kind, component.type()))
                        .append("| ")
                        .append(component.byDefault().isEmpty() ? "" : "`" + component.byDefault() + "` ")
                        .append("| ")
                        .append(text(type, component.name(), component.doc()))
                        .append(" |\n");
            }
        }
    }

    private static String kindOfProperty(String kind, String type) {
        return switch (kind) {
            case "Duration" -> "a time ";
            case "int", "Integer" -> "a number ";
            case "DataSize" -> "a size ";
            case "boolean", "Boolean" -> "`true`, `false` ";
            case "OnFailure" -> "`shutdown`, `keep` ";
            case "UnreadableBatches" -> choices("dev.weir.kafka.ConsumerSettings$UnreadableBatches");
            case "OutOfRangePolicy", "FetchPath", "ProducePath", "OnClose" -> choices("dev.weir.kafka." + kind);
            default -> type.startsWith("Map") || kind.contains(">") ? "" : "a string ";
        };
    }

    private static String choices(String type) {
        return Arrays.stream(load(type).getEnumConstants())
                .map(each -> "`" + each.toString().toLowerCase(Locale.ROOT).replace('_', '-') + "`")
                .collect(Collectors.joining(", ", "", " "));
    }
}
