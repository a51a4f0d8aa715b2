package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reads the output of {@code perf stat -x ';'} from machines with and without hardware counters. */
class ProcessorCountersTest {

    private static final String COUNTED = """
            1004.08;msec;task-clock;1004080000;100.00;0.998;CPUs utilized
            3012240000;;cycles:u;1004080000;100.00;3.000;GHz
            7530600000;;instructions:u;1004080000;100.00;2.50;insn per cycle
            100408;;cache-misses:u;1004080000;100.00;;
            """;

    private static final String VIRTUAL = """
            1.09;msec;task-clock;1088330;100.00;0.125;CPUs utilized
            <not supported>;;cycles;0;100.00;;
            <not supported>;;instructions;0;100.00;;
            <not supported>;;cache-misses;0;100.00;;
            """;

    @Test
    void counts_areReadByTheirEvent() {
        assertThat(ProcessorCounters.parse(COUNTED))
                .isEqualTo(Map.of(
                        "task-clock",
                        1004.08,
                        "cycles",
                        3012240000.0,
                        "instructions",
                        7530600000.0,
                        "cache-misses",
                        100408.0));
        assertThat(ProcessorCounters.parse(VIRTUAL)).containsOnlyKeys("task-clock");
    }

    @Test
    void availability_namesTheCounters_orTheReason() {
        assertThat(ProcessorCounters.answer(COUNTED)).isEqualTo("cycles, instructions, cache-misses");
        assertThat(ProcessorCounters.answer(VIRTUAL))
                .startsWith("not available here: the machine hides its processor counters");
        assertThat(ProcessorCounters.answer("Error:\nNo permission to enable cycles event."))
                .startsWith("not available here: the kernel does not permit it");
        assertThat(ProcessorCounters.answer("Access limited, consider adjusting kernel.perf_event_paranoid"))
                .startsWith("not available here: the kernel does not permit it");
        assertThat(ProcessorCounters.answer("")).isEqualTo("not available here: perf stat counts nothing");
        assertThat(ProcessorCounters.availability()).isNotEmpty();
    }

    /** In other locales, perf prints a decimal comma, and its messages in another language. */
    @Test
    void perf_runsInTheLocaleWhoseOutputIsParsed() {
        assertThat(ProcessorCounters.perf("stat").environment()).containsEntry("LC_ALL", "C");
    }

    /** perf measures only a part of the pass. Its counts are scaled to the whole processor time. */
    @Test
    void figures_areOfAllTheProcessorTime() {
        try (ProcessorCounters counters = new ProcessorCounters(0)) {
            assertThat(counters.perRecord(1_000_000, 10)).isEmpty();
            counters.add(COUNTED);
            Map<String, Double> figures = counters.perRecord(2_008_160_000L, 10_000_000);
            assertThat(figures.get(ProcessorCounters.figure("cycles"))).isCloseTo(602.448, within(1e-6));
            assertThat(figures.get(ProcessorCounters.figure("cache-misses"))).isCloseTo(0.0200816, within(1e-9));
        }
    }
}
