package dev.weir.bench.measurement;

import dev.weir.bench.workload.Handlers;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.PassOptions;
import dev.weir.driver.ShareOptions;

/**
 * The initial number of processes in a group, and of consumers in each process. In a share group, each worker counts as
 * a consumer; in other groups, each process has one. Immutable.
 */
public record GroupSize(WorkloadPoint point, boolean isShared) {

    public int processes() {
        return isShared || point.consumers() == 0 ? point.members() : point.consumers();
    }

    /** The number of consumers in one process. The first processes have one more if the division leaves a remainder. */
    public int consumers(int process) {
        if (!isShared) {
            return 1;
        }
        int all = point.consumers();
        return all == 0 ? ofProcess() : all / point.members() + (process < all % point.members() ? 1 : 0);
    }

    int ofProcess() {
        return isShared ? ShareOptions.number(point.options(), PassOptions.CONCURRENCY) : 1;
    }

    /** The number of handlers in all processes together that may block at the same time; 0 if handlers do not block. */
    public int handlers() {
        if (isShared && point.consumers() > 0) {
            return Handlers.ofGroup(point, 1) == 0 ? 0 : point.consumers();
        }
        return Handlers.ofGroup(point, processes());
    }
}
