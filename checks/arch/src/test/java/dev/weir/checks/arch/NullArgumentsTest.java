package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.tngtech.archunit.core.domain.JavaClass;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Passes null for each parameter without {@code @Nullable}, to each public method and constructor. The call must refuse
 * it and name the parameter. The other parameters get values from {@link Samples}, which needs an entry for each new
 * type. Abstract types without a sample are skipped.
 */
class NullArgumentsTest {

    private static final Set<String> PACKAGES = Set.of(
            "dev.weir.stream",
            "dev.weir.stream.control",
            "dev.weir.stream.testing",
            "dev.weir.kafka",
            "dev.weir.kafka.deadletter",
            "dev.weir.lean",
            "dev.weir.metrics",
            "dev.weir.console",
            "dev.weir.console.profile",
            "dev.weir.jdbc",
            "dev.weir.testkit");

    /** Types that users only read. Weir creates their instances. */
    private static final Set<String> READ_ONLY = Set.of(
            "DrainReport",
            "StageSnapshot",
            "DispatcherSnapshot",
            "Indexed",
            "StreamEnd.Failed",
            "ConsumerDump",
            "ConsumerDump.PartitionDump",
            "ConsumerDump.Oldest",
            "ConsumerHealth",
            "ConsumerSnapshot",
            "ConsumerSnapshot.PartitionSnapshot",
            "CircuitBreaker.Snapshot",
            "PartitionSource",
            "ShareGroupConfig",
            "ShareHandle.Snapshot",
            "ShareHandle.Limit",
            "ThreadActivity.Counts",
            "ControlReport",
            "ControlReport.Refusal",
            "TimelineEntry",
            "Profile",
            "StageProfile",
            "StageProfile.Method",
            "StageProfile.Allocation",
            "StageProfile.Wait",
            "Flame");

    /** Methods called by the engine per element or batch, and types whose instances need a broker. */
    private static final Set<String> LEFT_OUT = Set.of(
            "VirtualClock.await",
            "Ordering.keyOf",
            "Slice",
            "KafkaCluster",
            "KafkaClusterExtension",
            "Broker",
            "KafkaSink.with",
            "OriginalRecords",
            "ReusableConsumer",
            "Sender");

    private static Samples samples = new Samples();

    /** A method or constructor of a public type, perhaps inherited. */
    record Call(Class<?> type, Executable executable) {

        boolean isStatic() {
            return executable instanceof Constructor || Modifier.isStatic(executable.getModifiers());
        }

        /** Returns whether users override the method and never call it. */
        boolean isCallback() {
            return type.isInterface() && !isStatic() && !samples.has(type);
        }

        boolean isLeftOut() {
            return LEFT_OUT.contains(nameOf(type) + "." + executable.getName())
                    || (LEFT_OUT.contains(nameOf(type)) && !isStatic())
                    || (READ_ONLY.contains(nameOf(type))
                            && (executable instanceof Constructor
                                    || executable.getName().equals("of")))
                    || (type.isEnum() && executable.getName().equals("valueOf"))
                    || executable.getName().equals("equals");
        }

        private static String nameOf(Class<?> type) {
            return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
        }

        boolean mayBeNull(int place) {
            return executable.getAnnotatedParameterTypes()[place].isAnnotationPresent(Nullable.class);
        }

        List<Integer> nonNullParameters() {
            return IntStream.range(0, executable.getParameterCount())
                    .filter(place -> !executable.getParameterTypes()[place].isPrimitive() && !mayBeNull(place))
                    .boxed()
                    .toList();
        }

        @Nullable
        Object with(int place, @Nullable Object given) throws Throwable {
            @Nullable Object[] arguments = new Object[executable.getParameterCount()];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = mayBeNull(i) ? null : samples.of(executable.getParameterTypes()[i]);
            }
            arguments[place] = given;
            executable.setAccessible(true);
            try {
                return executable instanceof Constructor<?> constructor
                        ? constructor.newInstance(arguments)
                        : ((Method) executable).invoke(isStatic() ? null : samples.of(type), arguments);
            } catch (InvocationTargetException thrown) {
                throw Objects.requireNonNull(thrown.getCause());
            }
        }

        @Override
        public String toString() {
            return executable.toGenericString().replaceAll("dev\\.weir\\.|java\\.(lang|util|util\\.function)\\.", "");
        }
    }

    @AfterAll
    static void closeSamples() {
        samples.close();
    }

    static Stream<Call> calls() {
        return WeirModule.allMainClasses().stream()
                .filter(type -> PACKAGES.contains(type.getPackageName()))
                .map(JavaClass::reflect)
                .filter(NullArgumentsTest::isForUsers)
                .sorted(Comparator.comparing(Class::getName))
                .flatMap(NullArgumentsTest::callsOf)
                .filter(call -> !call.isLeftOut()
                        && !call.isCallback()
                        && !call.nonNullParameters().isEmpty());
    }

    private static boolean isForUsers(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getDeclaringClass() == null || isForUsers(type.getDeclaringClass()))
                && !Throwable.class.isAssignableFrom(type);
    }

    private static Stream<Call> callsOf(Class<?> type) {
        List<Executable> all = new ArrayList<>();
        if (!Modifier.isAbstract(type.getModifiers())) {
            all.addAll(Arrays.asList(type.getConstructors()));
        }
        // Non-public superclasses declare the operators.
        for (Class<?> each = type;
                each != null && each.getName().startsWith("dev.weir.");
                each = each.getSuperclass()) {
            all.addAll(Arrays.asList(each.getDeclaredMethods()));
        }
        return all.stream()
                .filter(executable -> Modifier.isPublic(executable.getModifiers()) && !executable.isSynthetic())
                .map(executable -> new Call(type, executable));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void nullArgument_isRefusedByName(Call call) {
        for (int place : call.nonNullParameters()) {
            refuses(call, place, null);
            Class<?> component = call.executable().getParameterTypes()[place].componentType();
            if (component != null && !component.isPrimitive()) {
                refuses(call, place, Array.newInstance(component, 1));
            }
        }
    }

    private static void refuses(Call call, int place, @Nullable Object isNull) {
        String name = call.executable().getParameters()[place].getName();
        assertThat(catchThrowable(() -> call.with(place, isNull)))
                .as("%s of %s", name, call)
                .isInstanceOf(NullPointerException.class)
                .hasMessageMatching(namingPattern(name));
    }

    /**
     * Returns a pattern for messages that name the parameter, from {@code requireNonNull} or from the JVM. A parameter
     * {@code newClock} may be called {@code clock}.
     */
    private static String namingPattern(String name) {
        String plain =
                name.matches("new[A-Z].*") ? name.substring(3, 4).toLowerCase(Locale.ROOT) + name.substring(4) : name;
        String either = "(" + name + "|" + plain + ")";
        return "(?s)" + either + "\\b.*|.*because \"" + either + "\" is null";
    }
}
