package dev.weir.bench.measurement;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.BackgroundFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Figures of brokers and machine for each phase of a run that is changed. Confined to one thread. */
final class PhaseSurroundings {
    private final BenchCluster cluster;
    private final List<Map<String, Double>> phases = new ArrayList<>();
    private @Nullable BackgroundFigures current;
    private int measured; // the phase that current is of

    PhaseSurroundings(BenchCluster cluster) {
        this.cluster = cluster;
    }

    /** The next phase begins, the first one with the run. One that changes nothing belongs to the phase before. */
    void next(boolean isOther) {
        if (isOther) {
            end();
            BackgroundFigures figures = new BackgroundFigures(cluster, false);
            figures.begin();
            figures.beginPass();
            current = figures;
            measured = phases.size();
        }
        phases.add(Map.of());
    }

    /** The last phase is over. */
    void end() {
        BackgroundFigures figures = current;
        if (figures != null) {
            figures.endPass();
            phases.set(measured, figures.figures());
            current = null;
        }
    }

    /** Takes a sample. Call it now and then. */
    void sample() {
        BackgroundFigures figures = current;
        if (figures != null) {
            figures.sample();
        }
    }

    /** Figures of a finished phase; phases count from 0. */
    Map<String, Double> of(int phase) {
        return phases.get(phase);
    }
}
