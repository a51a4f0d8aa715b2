package dev.weir.lean;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolver.LookupPolicy;
import java.net.spi.InetAddressResolverProvider;
import java.util.stream.Stream;

/**
 * A resolver that adds {@link #HOST} with two addresses. No {@link FakeBroker} listens on the first address. Stateless.
 */
public final class TwoAddresses extends InetAddressResolverProvider {

    static final String HOST = "two-addresses.test";
    private static final byte[] IPV6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    private static final byte[] IPV4 = {127, 0, 0, 1};

    @Override
    public InetAddressResolver get(Configuration configuration) {
        InetAddressResolver system = configuration.builtinResolver();
        return new InetAddressResolver() {
            @Override
            public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
                return host.equals(HOST)
                        ? Stream.of(InetAddress.getByAddress(IPV6), InetAddress.getByAddress(IPV4))
                        : system.lookupByName(host, policy);
            }

            @Override
            public String lookupByAddress(byte[] address) throws UnknownHostException {
                return system.lookupByAddress(address);
            }
        };
    }

    @Override
    public String name() {
        return HOST;
    }
}
