package dev.weir.bench.measurement;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.BackgroundFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Figures of the brokers and the machine for each phase of a changeable run. Confined to one thread. */
final class PhaseSurroundings {
    private final BenchCluster cluster;
    private final List<Map<String, Double>> phases = new ArrayList<>();
    private @Nullable BackgroundFigures current;
    private int measured; // the phase that the current figures describe

    PhaseSurroundings(BenchCluster cluster) {
        this.cluster = cluster;
    }

    /** Begins the next phase. If {@code isOther} is false, the figures are added to the previous phase. */
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

    void end() {
        BackgroundFigures figures = current;
        if (figures != null) {
            figures.endPass();
            phases.set(measured, figures.figures());
            current = null;
        }
    }

    /** Takes a sample. Call it regularly. */
    void sample() {
        BackgroundFigures figures = current;
        if (figures != null) {
            figures.sample();
        }
    }

    /** The figures of a finished phase. The first phase has index 0. */
    Map<String, Double> of(int phase) {
        return phases.get(phase);
    }
}
