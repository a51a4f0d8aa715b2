package dev.weir.lean.spi;

import dev.weir.lean.LeanException;
import java.util.Arrays;
import java.util.BitSet;
import net.openhft.affinity.Affinity;

/**
 * Binds threads to CPUs with OpenHFT's affinity library, which the application must provide. The parameter
 * {@code setting} of each method is the name of the setting with the CPU numbers, for messages.
 */
public final class CpuBinding {

    private CpuBinding() {}

    /** Refuses negative and repeated numbers. */
    public static void check(String setting, int[] cpus) {
        if (Arrays.stream(cpus).anyMatch(cpu -> cpu < 0)) {
            throw new IllegalArgumentException(
                    setting + " must not be negative: " + setting + "=" + Arrays.toString(cpus));
        }
        if (Arrays.stream(cpus).distinct().count() < cpus.length) {
            throw new IllegalArgumentException(setting + " names each once: " + setting + "=" + Arrays.toString(cpus));
        }
    }

    /** Throws an exception if the library is missing. Call before the threads start. */
    public static void demand(String setting) {
        try {
            var unused = Affinity.getAffinity();
        } catch (LinkageError e) {
            throw new LeanException(
                    setting + " needs the library net.openhft:affinity on the class path, or leave " + setting + " out",
                    e);
        }
    }

    /**
     * Binds the calling thread to a CPU.
     *
     * @throws LeanException if the operating system does not allow it
     */
    public static void bindTo(String setting, int cpu) {
        Affinity.setAffinity(cpu);
        BitSet bound = Affinity.getAffinity();
        if (bound.cardinality() != 1 || !bound.get(cpu)) {
            throw new LeanException(
                    "the thread could not be bound to processor " + cpu + ", it may run on " + bound
                            + ": name others in " + setting + ", or leave it out",
                    null);
        }
    }
}
