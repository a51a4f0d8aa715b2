package dev.weir.lean.internal.threads;

import dev.weir.lean.LeanException;
import java.util.BitSet;
import net.openhft.affinity.Affinity;

/** Binds threads to processors by OpenHFT's library, which whoever asks for it brings. */
public final class CpuBinding {

    private CpuBinding() {}

    /** Fails unless the library is there, before a thread is started. */
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
     * @throws LeanException if the system did not do it
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
