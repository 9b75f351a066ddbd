internal import APNSClient
internal import APNSProtocol
internal import CampaignStore
internal import TLS

/// The provider token of a key as the database keeps it for every process and machine.
///
/// *Ownership and thread*: of the thread that owns the store.
struct StoreTokenSource: ProviderTokenSource {
    let store: any RunStore
    let surroundings: any RunSurroundings

    func exchange(
        _ request: ProviderTokenRequest
    ) throws(StoreError) -> SharedProviderToken? {
        let question = ProviderTokenQuestion(
            identity: request.identity, keyDigest: request.keyDigest, held: request.held,
            isRefused: request.isRefused, bootID: surroundings.bootID,
            monotonicNanoseconds: { surroundings.monotonicNanoseconds() }
        ) { (issuedAtSeconds) throws(StoreError) -> [UInt8] in
            do throws(TLSError) {
                return try request.make(issuedAtSeconds: issuedAtSeconds)
            } catch {
                throw .source("the provider token can't be signed: \(error)")
            }
        }
        guard let token = try store.providerToken(question) else { return nil }
        return SharedProviderToken(
            jwt: token.jwt, issuedAtSeconds: token.issuedAtSeconds,
            issuedAtNanoseconds: token.issuedAtNanoseconds)
    }
}
