package dev.weir.command.terminal;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a time with its zone, or a day in UTC. Stateless. */
public final class Instants implements ITypeConverter<Instant> {

    @Override
    public Instant convert(String argument) {
        try {
            return argument.contains("T")
                    ? OffsetDateTime.parse(argument).toInstant()
                    : LocalDate.parse(argument).atStartOfDay().toInstant(ZoneOffset.UTC);
        } catch (DateTimeException wrong) {
            throw new TypeConversionException("'" + argument
                    + "' is not a time: write 2026-11-23T08:00:00Z, 2026-11-23T09:00:00+01:00, or 2026-11-23"
                    + " for its start in UTC");
        }
    }
}
