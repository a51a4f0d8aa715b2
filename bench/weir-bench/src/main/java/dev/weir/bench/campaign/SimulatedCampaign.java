package dev.weir.bench.campaign;

import dev.weir.bench.RunFailure;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.trial.SimulatedRun;
import dev.weir.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;

/**
 * Simulates a campaign without processes, brokers or waiting. A model with its own clock replaces the runs. The same
 * seed gives the same figures. Confined to one thread.
 */
public final class SimulatedCampaign {
    private final Workload workload;
    private final CampaignRunner.Settings settings;
    private final CampaignListener listener;

    /**
     * Creates a simulated campaign.
     *
     * @throws dev.weir.bench.workload.WorkloadException if there is no model for one of the points
     */
    public SimulatedCampaign(Workload workload, CampaignRunner.Settings settings, CampaignListener listener) {
        this.workload = workload;
        this.settings = settings;
        this.listener = listener;
        workload.points().forEach(SimulatedRun::requireModel);
        if (!workload.timeline().isEmpty()) {
            listener.note("the file's timeline is left out: a model takes no orders");
        }
    }

    /** Executes all runs and returns the results folder. */
    public ResultsFolder run() {
        List<String> drivers = new ArrayList<>(workload.drivers());
        if (workload.control()) {
            drivers.add(workload.baseline() + CampaignRunner.CONTROL_SUFFIX);
        }
        ResultsFolder.requireNew(settings.results());
        ResultsFolder folder =
                ResultsFolder.create(settings.results(), CampaignDescription.simulated(workload, settings, drivers));
        CampaignStages stages = new CampaignStages(workload, folder, settings.seed(), drivers);
        int order = 0;
        for (List<RunOrder.Step> steps = stages.next(); !steps.isEmpty(); steps = stages.next()) {
            int all = order + steps.size();
            for (RunOrder.Step step : steps) {
                listener.status(step.driver() + " at " + step.point().id(), order, all, null);
                Run run = run(folder, step, order++);
                listener.finished(run, order, all);
            }
        }
        String leftOut = stages.leftOut();
        if (!leftOut.isEmpty()) {
            listener.note(leftOut);
        }
        return folder;
    }

    private Run run(ResultsFolder folder, RunOrder.Step step, int order) {
        // The seed depends on the driver's name, so the control differs from the baseline.
        long seed = settings.seed() + 31L * step.round() + step.driver().hashCode();
        try {
            Measured measured =
                    new SimulatedRun(step.point(), CampaignRunner.withoutControl(step.driver()), seed).run();
            Run run = CampaignRuns.finished(step, order, seed, 0, 0, measured);
            folder.append(run, measured.latencies());
            return run;
        } catch (RunFailure e) {
            Run failed = Run.failed(
                    step.point().id(), step.driver(), step.round(), order, seed, 0, 0, String.valueOf(e.getMessage()));
            folder.append(failed, List.of());
            return failed;
        }
    }
}
