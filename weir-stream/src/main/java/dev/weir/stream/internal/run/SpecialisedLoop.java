package dev.weir.stream.internal.run;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A loop that calls a user function for each element. Each function class gets its own copy of the loop, so that the
 * JIT compiler sees a single call target and can inline it. See ADR 6. Thread-safe.
 *
 * <p>A copy is a hidden class, defined from the loop's class file. It lives as long as the function class and this
 * object. If a copy cannot be created, the shared loop is used.
 *
 * @param <L> the interface of the loop
 */
public final class SpecialisedLoop<L> {

    /**
     * Number of copies that may still be created. Protects the metaspace from code that generates classes endlessly.
     */
    private static final AtomicInteger BUDGET = new AtomicInteger(1000);

    private final Lookup lookup;
    private final L shared;
    private final byte @Nullable [] classFile;
    private final AtomicInteger budget;

    /** The loop of each function class. Keeps the copies reachable for {@link #loops}. */
    private final Map<Class<?>, L> kept = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * Finds the loop of a function class without a lock. The references are weak: a class of another class loader may
     * outlive this library and must not keep it loaded.
     */
    private final ClassValue<WeakReference<L>> loops = new ClassValue<>() {
        @Override
        protected WeakReference<L> computeValue(Class<?> functions) {
            L loop = functions.getClassLoader() == null ? shared : copyOrShared();
            // If several threads compute the loop of a class, all must return the same loop.
            L earlier = kept.putIfAbsent(functions, loop);
            return new WeakReference<>(earlier == null ? loop : earlier);
        }
    };

    SpecialisedLoop(Lookup lookup, L shared, byte @Nullable [] classFile, AtomicInteger budget) {
        this.lookup = lookup;
        this.shared = shared;
        this.classFile = classFile;
        this.budget = budget;
    }

    /**
     * Creates a {@code SpecialisedLoop} that copies {@code shared} on demand.
     *
     * @param lookup a lookup of the class in which the loop is nested
     * @param shared the loop; it must be stateless and have a constructor without parameters
     */
    public static <L> SpecialisedLoop<L> of(Lookup lookup, L shared) {
        return new SpecialisedLoop<>(lookup, shared, classFile(shared.getClass()), BUDGET);
    }

    public L forFunction(Object function) {
        return Objects.requireNonNull(loops.get(function.getClass()).get());
    }

    private static byte @Nullable [] classFile(Class<?> template) {
        String name = template.getName();
        try (InputStream file = template.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
            return file == null ? null : file.readAllBytes();
        } catch (IOException ignored) {
            // Use the shared loop.
            return null;
        }
    }

    private L copyOrShared() {
        if (classFile == null || budget.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
            return shared;
        }
        try {
            return copy(classFile);
        } catch (VirtualMachineError fatal) {
            throw fatal;
        } catch (Throwable ignored) {
            // Some environments cannot create classes, for example native images.
            return shared;
        }
    }

    @SuppressWarnings("unchecked") // the copied class implements L
    private L copy(byte[] file) throws Throwable {
        Lookup copy = lookup.defineHiddenClass(file, true, Lookup.ClassOption.NESTMATE);
        return (L) copy.findConstructor(copy.lookupClass(), MethodType.methodType(void.class))
                .invoke();
    }
}
