package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a copy of settings has every setting of the original, even after a change. */
class SettingsCopyTest {

    private static final Set<String> OF_MANY = Set.of("from", "fromEnvironment", "properties", "build");

    private static final ByteArrayDeserializer READER = new ByteArrayDeserializer();
    private static final ByteArraySerializer WRITER = new ByteArraySerializer();

    private static final Map<Class<?>, List<?>> SAMPLES = Map.of(
            int.class, List.of(7, 8192),
            int[].class, List.of(new int[] {3}),
            long.class, List.of(8L << 20),
            boolean.class, List.of(true, false),
            String.class, List.of("sample"),
            Duration.class, List.of(Duration.ofSeconds(7)),
            RebalanceListener.class, List.of(new RebalanceListener() {}),
            CommitMetadata.class, List.of((CommitMetadata) (topic, partition, offset) -> "sample"),
            DeadLetterTopic.class,
                    List.of(DeadLetterTopic.of(
                            "sample",
                            ProducerSettings.builder()
                                    .bootstrapServers("dead:1")
                                    .build())));

    /** Changes that every builder supports and that also change derived settings. */
    private static final List<UnaryOperator<Object>> CHANGES = List.of(
            builder -> call(builder, "property", "bootstrap.servers", "other:1"),
            builder -> call(builder, "property", "client.id", "other"),
            builder -> call(builder, "property", "group.id", "other"));

    private static Object builder(String kind) {
        return switch (kind) {
            case "consumer" ->
                ConsumerSettings.builder(READER, READER)
                        .bootstrapServers("h:1")
                        .groupId("g")
                        .fetch(FetchPath.LEAN);
            case "share" ->
                ShareSettings.builder(READER, READER)
                        .bootstrapServers("h:1")
                        .groupId("g")
                        .fetch(FetchPath.LEAN);
            default -> ProducerSettings.builder(WRITER, WRITER).bootstrapServers("h:1");
        };
    }

    private static Object call(Object target, String name, Object... arguments) {
        Method method = Arrays.stream(target.getClass().getMethods())
                .filter(each -> each.getName().equals(name) && each.getParameterCount() == arguments.length)
                .findFirst()
                .orElseThrow();
        return invoke(method, target, arguments);
    }

    private static Object invoke(Method method, Object target, Object... arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failed) {
            if (failed.getCause() instanceof IllegalArgumentException refused) {
                throw refused;
            }
            throw new AssertionError(method.toString(), failed);
        } catch (IllegalAccessException hidden) {
            throw new AssertionError(method.toString(), hidden);
        }
    }

    private static List<Method> setters(Class<?> builder) {
        return Arrays.stream(builder.getMethods())
                .filter(each -> each.getReturnType() == builder && !Modifier.isStatic(each.getModifiers()))
                .filter(each -> each.getParameterCount() < 2 && !OF_MANY.contains(each.getName()))
                .toList();
    }

    private static List<Object[]> arguments(Method setter) {
        if (setter.getParameterCount() == 0) {
            return List.<Object[]>of(new Object[0]);
        }
        Class<?> type = setter.getParameterTypes()[0];
        List<?> samples = type.isEnum() ? Arrays.asList(type.getEnumConstants()) : SAMPLES.get(type);
        List<Object[]> all = new ArrayList<>();
        Objects.requireNonNull(samples, setter::toString).forEach(sample -> all.add(new Object[] {sample}));
        return all;
    }

    /** Calls the setter with a non-default value. Returns a supplier of the builder; empty if no sample value fits. */
    private static Optional<Supplier<Object>> set(String kind, Method setter) {
        Object unset = call(builder(kind), "build");
        for (Object[] arguments : arguments(setter)) {
            Supplier<Object> set = () -> invoke(setter, builder(kind), arguments);
            Object settings = built(set.get());
            if (settings != null && !settings.equals(unset)) {
                return Optional.of(set);
            }
        }
        return Optional.empty();
    }

    /** Returns the settings, or null if the builder refuses them. */
    private static @Nullable Object built(Object builder) {
        try {
            return call(builder, "build");
        } catch (IllegalArgumentException refused) {
            return null;
        }
    }

    /** Returns the values of all settings by name, including derived ones. */
    private static Map<String, String> read(Object settings) {
        Map<String, String> values = new TreeMap<>();
        for (Method method : settings.getClass().getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers())
                    && !Modifier.isStatic(method.getModifiers())
                    && method.getParameterCount() == 0
                    && !Set.of("toBuilder", "hashCode").contains(method.getName())) {
                Object value = invoke(method, settings);
                values.put(
                        method.getName(),
                        value instanceof Map<?, ?> map ? new TreeMap<>(map).toString() : String.valueOf(value));
            }
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(strings = {"consumer", "share", "producer"})
    void copy_hasEachSetting_andTakesChangesAsItsOriginalDoes(String kind) {
        List<String> checked = new ArrayList<>();
        for (Method setter : setters(builder(kind).getClass())) {
            Supplier<Object> set = set(kind, setter)
                    .orElseThrow(() -> new AssertionError(setter + " changes nothing that equals compares"));
            Object original = call(set.get(), "build");
            assertThat(call(call(original, "toBuilder"), "build"))
                    .as("copy after %s", setter)
                    .isEqualTo(original);
            for (UnaryOperator<Object> change : CHANGES) {
                Object changed = call(change.apply(call(original, "toBuilder")), "build");
                Object expected = call(change.apply(set.get()), "build");
                assertThat(changed).as("changed copy after %s", setter).isEqualTo(expected);
                assertThat(read(changed)).as("changed copy after %s", setter).isEqualTo(read(expected));
            }
            checked.add(setter.getName());
        }
        assertThat(checked).hasSizeGreaterThan(1);
    }
}
