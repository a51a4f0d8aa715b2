package dev.weir.lean.internal.threads;

import dev.weir.lean.LeanException;
import java.util.BitSet;
import net.openhft.affinity.Affinity;

/** Binds threads to CPUs with OpenHFT's affinity library, which the application must provide. */
public final class CpuBinding {

    private CpuBinding() {}

    /** Throws an exception if the library is missing. Called before the threads start. */
    public static void demand() {
        try {
            var unused = Affinity.getAffinity();
        } catch (LinkageError e) {
            throw new LeanException(
                    "cpus(...) needs the library net.openhft:affinity on the class path, or leave cpus out", e);
        }
    }

    /**
     * Binds the calling thread to a CPU.
     *
     * @throws LeanException if the operating system does not allow it
     */
    static void bindTo(int cpu) {
        Affinity.setAffinity(cpu);
        BitSet bound = Affinity.getAffinity();
        if (bound.cardinality() != 1 || !bound.get(cpu)) {
            throw new LeanException(
                    "the thread could not be bound to processor " + cpu + ", it may run on " + bound
                            + ": name others in cpus(...), or leave it out",
                    null);
        }
    }
}
