package dev.weir.bench.command;

import dev.weir.bench.report.Reports;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.JsonLines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code weir bench results archive}. */
@Command(
        name = "archive",
        sortOptions = false,
        description =
                "Pack a campaign into one file: its runs, histograms and logs, and the page and tables recreated.")
final class ResultsArchiveCommand implements Callable<Integer> {

    @ParentCommand
    private BenchResultsCommand results;

    @Parameters(paramLabel = "RUN", description = "The campaign: its folder, or its name.")
    private Path run;

    @Option(names = "--to", paramLabel = "FILE", description = "The file to write. Default: RUN.zip, beside the folder")
    private Path to;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        ResultsFolder folder = BenchResultsCommand.open(run);
        Path root = folder.path().toAbsolutePath().normalize();
        Path file = to != null ? to : root.resolveSibling(root.getFileName() + ".zip");
        int packed;
        try {
            var ignored = BenchResultsCommand.read(() -> Reports.all(folder, true));
            packed = pack(root, file.toAbsolutePath().normalize());
        } catch (IOException e) {
            throw CliFailure.work(
                    "cannot write " + file + ": " + CliFailure.reason(e), "Name another one with --to.", e);
        }
        if (json) {
            new JsonLines(results.weir().out()).write(line -> {
                line.writeStringField("type", "archive");
                line.writeStringField("file", file.toString());
                line.writeNumberField("files", packed);
                line.writeNumberField("bytes", Files.size(file));
            });
        } else {
            results.weir().out().printf(Locale.ROOT, "%s: %d files%n", file, packed);
        }
        results.weir().out().flush();
        return ExitCode.DONE;
    }

    private static int pack(Path folder, Path file) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(each -> Files.isRegularFile(each) && !each.equals(file) && !each.equals(fresh))
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        try {
            try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(fresh))) {
                for (Path each : files) {
                    ZipEntry entry = new ZipEntry(folder.getFileName() + "/" + folder.relativize(each));
                    entry.setLastModifiedTime(Files.getLastModifiedTime(each));
                    zip.putNextEntry(entry);
                    var ignored = Files.copy(each, zip);
                    zip.closeEntry();
                }
            }
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            var ignored = Files.deleteIfExists(fresh); // removes the partial file after a failure
        }
        return files.size();
    }
}
