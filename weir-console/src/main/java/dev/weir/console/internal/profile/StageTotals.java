package dev.weir.console.internal.profile;

import dev.weir.console.profile.StageProfile;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The totals of one stage. Not thread-safe. */
final class StageTotals {

    private static final int MOST = 10;

    /** CPU samples and wait nanoseconds of one method, excluding and including its callees. */
    private static final class Times {

        long cpuSelf;
        long cpuTotal;
        long waitSelf;
        long waitTotal;

        long selfNanos(long periodNanos) {
            return cpuSelf * periodNanos + waitSelf;
        }
    }

    private final Map<String, Times> methods = new LinkedHashMap<>();
    private final Map<String, Long> allocated = new HashMap<>();
    private final Map<WaitAt, Long> waits = new HashMap<>();
    private long cpu;

    private record WaitAt(String kind, String at) {}

    void add(Sample sample) {
        List<Frame> own = sample.stack().userMethods();
        switch (sample.kind()) {
            case CPU -> addCpu(own, sample.amount());
            case ALLOCATION -> allocated.merge(sample.subject(), sample.amount(), Long::sum);
            case WAIT -> {
                waits.merge(
                        new WaitAt(
                                sample.subject(),
                                own.isEmpty() ? "" : own.getFirst().name()),
                        sample.amount(),
                        Long::sum);
                addWait(own, sample.amount());
            }
        }
    }

    private void addCpu(List<Frame> own, long amount) {
        cpu += amount;
        for (int i = 0; i < own.size(); i++) {
            Times times = times(own.get(i));
            times.cpuSelf += i == 0 ? amount : 0;
            times.cpuTotal += isFirst(own, i) ? amount : 0;
        }
    }

    private void addWait(List<Frame> own, long nanos) {
        for (int i = 0; i < own.size(); i++) {
            Times times = times(own.get(i));
            times.waitSelf += i == 0 ? nanos : 0;
            times.waitTotal += isFirst(own, i) ? nanos : 0;
        }
    }

    private Times times(Frame frame) {
        return methods.computeIfAbsent(frame.name(), name -> new Times());
    }

    /** Returns whether the frame is the innermost one of its method, so that recursion counts once. */
    private static boolean isFirst(List<Frame> own, int place) {
        String name = own.get(place).name();
        return own.subList(0, place).stream().noneMatch(frame -> frame.name().equals(name));
    }

    private StageProfile.Method method(String name, Times times, long periodNanos) {
        double mine = Math.max(1, cpu);
        return new StageProfile.Method(
                name,
                times.cpuSelf / mine,
                times.cpuTotal / mine,
                times.selfNanos(periodNanos) / 1_000_000,
                (times.cpuTotal * periodNanos + times.waitTotal) / 1_000_000);
    }

    long cpu() {
        return cpu;
    }

    /** Returns the stage's profile. {@code periodNanos} is the time between two CPU samples of a thread. */
    StageProfile profile(String name, long allCpu, long periodNanos) {
        return StageProfile.of(
                name,
                (double) cpu / Math.max(1, allCpu),
                methods.entrySet().stream()
                        .sorted(Comparator.comparingLong((Map.Entry<String, Times> each) ->
                                        each.getValue().selfNanos(periodNanos))
                                .thenComparingLong(each -> each.getValue().cpuTotal)
                                .reversed())
                        .map(each -> method(each.getKey(), each.getValue(), periodNanos))
                        .limit(MOST)
                        .toList(),
                allocated.values().stream().mapToLong(Long::longValue).sum(),
                allocated.entrySet().stream()
                        .map(each -> new StageProfile.Allocation(each.getKey(), each.getValue()))
                        .sorted(Comparator.comparingLong(StageProfile.Allocation::bytes)
                                .reversed())
                        .limit(MOST)
                        .toList(),
                waits.entrySet().stream()
                        .map(each -> new StageProfile.Wait(
                                each.getKey().kind(), each.getKey().at(), each.getValue() / 1_000_000))
                        .filter(wait -> wait.millis() > 0)
                        .sorted(Comparator.comparingLong(StageProfile.Wait::millis)
                                .reversed())
                        .limit(MOST)
                        .toList());
    }
}
