package dev.weir.lean.internal.threads;

import dev.weir.lean.LeanException;
import java.util.BitSet;
import net.openhft.affinity.Affinity;

/** Binds threads to processors with OpenHFT's library, which the application must provide. */
public final class CpuBinding {

    private CpuBinding() {}

    /** Fails if the library is missing, before a thread is started. */
    public static void demand() {
        try {
            var unused = Affinity.getAffinity();
        } catch (LinkageError e) {
            throw new LeanException(
                    "cpus(...) needs the library net.openhft:affinity on the class path, or leave cpus out", e);
        }
    }

    /**
     * Binds the calling thread.
     *
     * @throws LeanException if the operating system refuses
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
