package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DriverMainTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Command CONFIGURE =
            new Command.Configure("", Map.of(), "t", 1, 1000, 16, Scenario.CONSUME, Map.of(), Map.of(), 10_000);

    /** A library that closes once it has delivered all records. */
    static final class Quick implements Driver {

        public static void main(String[] arguments) {
            DriverMain.serve(Map.of("quick", Quick::new), arguments);
        }

        @Override
        public Set<Scenario> scenarios() {
            return Set.of(Scenario.CONSUME);
        }

        @Override
        public void run(Pass pass) {
            for (long number = 0; number < 1000; number++) {
                pass.delivered(0, number, 0, 16);
            }
        }
    }

    /** A library that never returns. */
    static final class Hanging implements Driver {

        public static void main(String[] arguments) {
            DriverMain.serve(Map.of("hanging", Hanging::new), arguments);
        }

        @Override
        public Set<Scenario> scenarios() {
            return Set.of(Scenario.CONSUME);
        }

        @Override
        public void run(Pass pass) throws InterruptedException {
            pass.delivered(0, 0, 0, 16);
            new CountDownLatch(1).await();
        }
    }

    /** A library that closes at the harness's request, and delivers nothing in every second pass. */
    static final class Obedient implements Driver {
        private int passes;

        public static void main(String[] arguments) {
            DriverMain.serve(Map.of("obedient", Obedient::new), arguments);
        }

        @Override
        public Set<Scenario> scenarios() {
            return Set.of(Scenario.CONSUME);
        }

        @Override
        public void run(Pass pass) throws InterruptedException {
            if (passes++ % 2 == 0) {
                pass.delivered(0, 0, 0, 16);
            }
            pass.awaitDone();
        }
    }

    /** A connected sender that delivers each record of its plan when the record is due. */
    static final class Sender implements Driver {
        public static void main(String[] arguments) {
            DriverMain.serve(Map.of("sender", Sender::new), arguments);
        }

        @Override
        public Set<Scenario> scenarios() {
            return Set.of(Scenario.PRODUCE);
        }

        @Override
        public void run(Pass pass) {
            SendPlan plan = pass.plan();
            for (long number = 0; plan.awaitNext(pass::isDone) != SendPlan.NEVER; number++) {
                pass.delivered(0, number, 0, 16);
            }
        }
    }

    /** A library that receives one record on time and one record a minute early. */
    static final class Early implements Driver {
        public static void main(String[] arguments) {
            DriverMain.serve(Map.of("early", Early::new), arguments);
        }

        @Override
        public Set<Scenario> scenarios() {
            return Set.of(Scenario.STEADY);
        }

        @Override
        public void run(Pass pass) {
            long start = Long.parseLong(pass.configuration().options().getOrDefault(SendPlan.START, "0"));
            pass.delivered(0, 0, start, 16);
            pass.delivered(0, 1, start + TimeUnit.MINUTES.toNanos(1), 16);
        }
    }

    /** The rate is 0 until a command changes it. The command to end arrives during the same pass. */
    @Test
    void change_amidAPass_changesItsRate_andWhatCameIsTold() throws Exception {
        Process process = start(Sender.class, "sender");
        Writer commands = process.outputWriter();
        try (BufferedReader said = process.inputReader()) {
            assertThat(said.readLine()).contains("\"say\":\"hello\"");
            Map<String, String> options = Map.of(
                    SendPlan.RATE, "0", SendPlan.START, Long.toString(System.nanoTime()), PassOptions.TELLS, "true");
            say(
                    commands,
                    new Command.Configure("", Map.of(), "t", 1, 1000, 16, Scenario.PRODUCE, Map.of(), options, 10_000));
            say(commands, new Command.Start("g", 0, 3600));
            assertThat(said.readLine()).contains("\"say\":\"ready\"");
            say(
                    commands,
                    new Command.Change(Map.of(SendPlan.RATE, "1000", SendPlan.AT, Long.toString(System.nanoTime()))));
            assertThat(said.readLine()).contains("\"say\":\"first\"");
            say(commands, new Command.End());
            assertThat(said.readLine()).contains("\"say\":\"interval\"", "\"last\":true");
            String told = said.readLine();
            assertThat(told).contains("\"say\":\"delivered\"");
            String numbers = JSON.readTree(told).path("partitions").path(0).asText();
            assertThat(NumberRuns.decoded(numbers).count()).isPositive();
            assertThat(said.readLine()).contains("\"say\":\"passed\"");
        } finally {
            process.destroyForcibly();
        }
    }

    /** A member leaves and rejoins its group. The command to leave may arrive before the pass begins. */
    @Test
    void end_amidAPass_endsIt_andTheNextOneBegins() throws Exception {
        Process process = start(Obedient.class, "obedient");
        Writer commands = process.outputWriter();
        try (BufferedReader said = process.inputReader()) {
            assertThat(said.readLine()).contains("\"say\":\"hello\"");
            say(commands, CONFIGURE);
            for (int pass = 0; pass < 20; pass++) {
                say(commands, new Command.Start("g", 0, 3600));
                say(commands, new Command.End());
                assertThat(said.readLine()).contains("\"say\":\"first\"");
                assertThat(said.readLine()).contains("\"say\":\"interval\"", "\"last\":true");
                assertThat(said.readLine()).contains("\"say\":\"passed\"", "\"complete\":false");
            }
        } finally {
            process.destroyForcibly();
        }
    }

    /** Regression: after a failed change, the process outlived its harness. */
    @Test
    void change_thatFails_failsThePass() throws Exception {
        Process process = start(Obedient.class, "obedient");
        Writer commands = process.outputWriter();
        try (BufferedReader said = process.inputReader()) {
            assertThat(said.readLine()).contains("\"say\":\"hello\"");
            say(commands, CONFIGURE);
            say(commands, new Command.Start("g", 0, 3600));
            assertThat(said.readLine()).contains("\"say\":\"first\"");
            say(commands, new Command.Change(Map.of(HandlerWork.MILLIS, "many")));
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it ended").isTrue();
            assertThat(said.lines()).anyMatch(line -> line.contains("\"say\":\"failed\"") && line.contains("many"));
        } finally {
            process.destroyForcibly();
        }
    }

    /** Regression: the last interval of a driver that closed quickly was lost. */
    @Test
    void lastInterval_isTold_howeverQuicklyADriverCloses() throws Exception {
        Process process = start(Quick.class, "quick");
        Writer commands = process.outputWriter();
        try (BufferedReader said = process.inputReader()) {
            assertThat(said.readLine()).contains("\"say\":\"hello\"");
            say(commands, CONFIGURE);
            for (int pass = 0; pass < 30; pass++) {
                say(commands, new Command.Start("g", 0, 60));
                assertThat(said.readLine()).contains("\"say\":\"first\"");
                assertThat(said.readLine()).contains("\"say\":\"interval\"", "\"records\":1000", "\"last\":true");
                assertThat(said.readLine()).contains("\"say\":\"passed\"");
            }
            say(commands, new Command.Stop());
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it ended").isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Regression: after the harness was killed, a driver in the middle of a pass continued forever. */
    @Test
    void endOfCommands_amidAPass_endsTheProcess() throws Exception {
        Process process = start(Hanging.class, "hanging");
        Writer commands = process.outputWriter();
        try (BufferedReader said = process.inputReader()) {
            assertThat(said.readLine()).contains("\"say\":\"hello\"");
            say(commands, CONFIGURE);
            say(commands, new Command.Start("g", 0, 3600));
            assertThat(said.readLine()).contains("\"say\":\"first\"");
            commands.close();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it ended").isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    /** The network of a remote process is cut: its input stays open but delivers nothing. */
    @Test
    void silenceOfTheHarness_endsTheProcess_ofWhichItHasALease() throws Exception {
        Process process = start(Hanging.class, "hanging", "-D" + Lease.SECONDS + "=5");
        try (Writer commands = process.outputWriter();
                BufferedReader said = process.inputReader()) {
            assertThat(said.readLine()).contains("\"say\":\"hello\"");
            say(commands, CONFIGURE);
            say(commands, new Command.Start("g", 0, 3600));
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it ended").isTrue();
            assertThat(process.exitValue()).isEqualTo(3);
        } finally {
            process.destroyForcibly();
        }
    }

    /** A halted process must read its messages before it checks the lease. */
    @Test
    void processThatWasHalted_forLongerThanItsLease_isNotTakenForOneLeftAlone() throws Exception {
        Process process = start(Hanging.class, "hanging", "-D" + Lease.SECONDS + "=3");
        try (Writer commands = process.outputWriter();
                BufferedReader said = process.inputReader()) {
            assertThat(said.readLine()).contains("\"say\":\"hello\"");
            say(commands, new Command.Clock(6)); // renews the lease, because a slow start may have used up much of it
            assertThat(said.readLine()).contains("\"askedNanos\":6");
            signal("-STOP", process);
            say(commands, new Command.Clock(7));
            assertThat(process.waitFor(5, TimeUnit.SECONDS)).as("it ended").isFalse();
            signal("-CONT", process);
            assertThat(said.readLine()).contains("\"askedNanos\":7");
        } finally {
            process.destroyForcibly();
        }
    }

    private static void signal(String signal, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** On a common clock, a record that arrives early is a fault. With separate clocks, it is kept and reported. */
    @Test
    void clockOfAnother_isAskedAndSet_andEarlyRecordsAreKept() throws Exception {
        Process process = start(Early.class, "early", "-D" + CampaignClock.AHEAD_MILLIS + "=3600000");
        Writer commands = process.outputWriter();
        try (BufferedReader said = process.inputReader()) {
            assertThat(said.readLine()).contains("\"say\":\"hello\"");
            long asked = System.nanoTime();
            say(commands, new Command.Clock(asked));
            Report.Clock clock = JSON.readValue(said.readLine(), Report.Clock.class);
            assertThat(clock.askedNanos()).isEqualTo(asked);
            assertThat(clock.ownNanos() - TimeUnit.HOURS.toNanos(1)).isBetween(asked, System.nanoTime());
            say(commands, new Command.SetClock(-TimeUnit.HOURS.toNanos(1)));
            long start = System.nanoTime();
            Map<String, String> options = Map.of(SendPlan.RATE, "1", SendPlan.START, Long.toString(start));
            say(
                    commands,
                    new Command.Configure("", Map.of(), "t", 1, 2, 16, Scenario.STEADY, Map.of(), options, 10_000));
            say(commands, new Command.Start("g", 0, 60));
            Report.First first = JSON.readValue(said.readLine(), Report.First.class);
            assertThat(first.nanos()).isBetween(start, System.nanoTime());
            Report.Interval interval = JSON.readValue(said.readLine(), Report.Interval.class);
            assertThat(interval.timings().getFirst()).as("both are in it").isNotEmpty();
            Report.Passed passed = JSON.readValue(said.readLine(), Report.Passed.class);
            assertThat(passed.records()).isEqualTo(2);
            assertThat(passed.client()).containsEntry(Pass.EARLY_RECORDS, 1.0);
            assertThat(passed.client().get(Pass.EARLIEST_MILLIS)).isBetween(-60_000.0, -1_000.0);
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process start(Class<?> main, String driver, String... ofMachine) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(ofMachine));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName(), driver));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static void say(Writer commands, Command command) throws Exception {
        commands.write(JSON.writeValueAsString(command) + "\n");
        commands.flush();
    }
}
