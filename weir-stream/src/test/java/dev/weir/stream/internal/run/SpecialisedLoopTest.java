package dev.weir.stream.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class SpecialisedLoopTest {

    interface Caller {
        Object call(Function<Object, Object> function, Object argument);
    }

    private static final class Template implements Caller {

        @Override
        public Object call(Function<Object, Object> function, Object argument) {
            Function<Object, Object> captured = x -> secret(function.apply(x));
            return captured.apply(argument);
        }

        private static Object secret(Object result) {
            return "<" + result + ">";
        }
    }

    private static final class Plus implements Function<Object, Object> {

        @Override
        public Object apply(Object argument) {
            return argument + "+";
        }
    }

    private final Caller shared = new Template();

    private SpecialisedLoop<Caller> loops(byte[] classFile, int budget) {
        return new SpecialisedLoop<>(MethodHandles.lookup(), shared, classFile, new AtomicInteger(budget));
    }

    @Test
    void functionsOfOneClass_shareACopy_andOthersHaveTheirOwn() {
        SpecialisedLoop<Caller> loops = SpecialisedLoop.of(MethodHandles.lookup(), shared);
        Caller ofPlus = loops.forFunction(new Plus());
        Function<Object, Object> minus = x -> x + "-";
        Caller ofMinus = loops.forFunction(minus);
        assertThat(loops.forFunction(new Plus())).isSameAs(ofPlus);
        assertThat(ofPlus.getClass()).isNotIn(ofMinus.getClass(), Template.class);
        assertThat(ofPlus.getClass().isHidden()).isTrue();
        assertThat(ofPlus.call(new Plus(), "a")).isEqualTo("<a+>");
        assertThat(ofMinus.call(minus, "a")).isEqualTo("<a->");
    }

    @Test
    void copy_calledWithAnotherFunction_callsThat() {
        Caller ofPlus = SpecialisedLoop.of(MethodHandles.lookup(), shared).forFunction(new Plus());
        assertThat(ofPlus.call(x -> x + "-", "a")).isEqualTo("<a->");
    }

    @Test
    void budget_whenUsedUp_givesTheSharedLoop() throws IOException {
        SpecialisedLoop<Caller> loops = loops(bytesOf(Template.class), 1);
        assertThat(loops.forFunction(new Plus())).isNotSameAs(shared);
        Function<Object, Object> second = x -> x;
        assertThat(loops.forFunction(second)).isSameAs(shared);
        assertThat(loops.forFunction(new Plus())).isNotSameAs(shared);
    }

    @Test
    void classFile_thatCannotBeHadOrDefined_givesTheSharedLoop() {
        assertThat(new SpecialisedLoop<>(MethodHandles.lookup(), shared, null, new AtomicInteger(1))
                        .forFunction(new Plus()))
                .isSameAs(shared);
        assertThat(loops(new byte[] {1, 2, 3}, 1).forFunction(new Plus())).isSameAs(shared);
    }

    @Test
    void functionOfTheJdk_hasTheSharedLoop() {
        assertThat(SpecialisedLoop.of(MethodHandles.lookup(), shared).forFunction(Function.identity()))
                .isSameAs(shared);
    }

    /** A JDK class must not keep a loop reachable: the application's classes would never be unloaded. */
    @Test
    void loops_whenNobodyHasThem_goAlthoughTheClassesOfFunctionsStay() {
        List<WeakReference<?>> unused = new ArrayList<>(loopsFor(Function.identity()));
        unused.addAll(loopsFor(new Plus()));
        for (int i = 0; i < 50 && unused.stream().anyMatch(each -> each.get() != null); i++) {
            System.gc();
        }
        assertThat(unused).allMatch(each -> each.get() == null, "is unreachable");
    }

    private static List<WeakReference<?>> loopsFor(Function<Object, Object> function) {
        Caller ownShared = new Template();
        SpecialisedLoop<Caller> loops = SpecialisedLoop.of(MethodHandles.lookup(), ownShared);
        return List.of(
                new WeakReference<>(loops),
                new WeakReference<>(ownShared),
                new WeakReference<>(loops.forFunction(function)));
    }

    @Test
    void classOfAFunction_whenNobodyHasIt_goesAndItsCopyWithIt() throws Throwable {
        SpecialisedLoop<Caller> loops = SpecialisedLoop.of(MethodHandles.lookup(), shared);
        WeakReference<Class<?>> function = new WeakReference<>(Plus.class);
        WeakReference<Class<?>> copy = new WeakReference<>(Template.class);
        for (int i = 0; i < 2; i++) {
            Object unloadable = hiddenPlus();
            function = new WeakReference<>(unloadable.getClass());
            Caller its = loops.forFunction(unloadable);
            copy = new WeakReference<>(its.getClass());
            assertThat(loops.forFunction(unloadable)).isSameAs(its).isNotSameAs(shared);
        }
        for (int i = 0; i < 50 && (function.get() != null || copy.get() != null); i++) {
            System.gc();
            // A new copy releases the copies of unloaded classes.
            loops.forFunction(hiddenPlus());
        }
        assertThat(function.get()).isNull();
        assertThat(copy.get()).isNull();
    }

    private static Object hiddenPlus() throws Throwable {
        MethodHandles.Lookup hidden = MethodHandles.lookup().defineHiddenClass(bytesOf(Plus.class), true);
        return hidden.findConstructor(hidden.lookupClass(), MethodType.methodType(void.class))
                .invoke();
    }

    private static byte[] bytesOf(Class<?> type) throws IOException {
        String name = type.getName();
        try (InputStream file = type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
            return Objects.requireNonNull(file).readAllBytes();
        }
    }
}
